import type { History } from './history-event.js';
import { byResource, type LeaseTimeline } from './lease-timeline.js';
import { Stalls } from './stalls.js';
import type { HistoryLimits, Violation } from './violation.js';

/** I4: a loss is reported promptly, and nothing is renewed after a loss or a release. */
export function loss(
  timelines: readonly LeaseTimeline[],
  history: History,
  { lossMs = 50 }: HistoryLimits,
): Violation[] {
  const stalls = new Stalls(history);
  const lastSign = new Map(history.map(({ process, at }) => [process, at]));
  return timelines.flatMap(
    ({ lease, process, validUntil, renewals, releasingAt = Infinity, lostAt = Infinity }) => {
      const closedAt = Math.min(releasingAt, lostAt);
      const found: Violation[] = renewals
        .filter(({ at }) => at > closedAt)
        .map(({ at }) => ({ invariant: 'I4', at, text: `${lease} was renewed after its end` }));
      const toldAt = Math.min(closedAt, lastSign.get(process)!);
      if (toldAt > validUntil + lossMs + stalls.within(process, validUntil, toldAt)) {
        const text = `the loss of ${lease} was told ${(toldAt - validUntil).toFixed(1)} ms after its end, or not at all`;
        found.push({ invariant: 'I4', at: toldAt, text });
      }
      return found;
    },
  );
}

/** I5: a waiter gets the lock promptly after a release. */
export function handOver(
  timelines: readonly LeaseTimeline[],
  { handOverMs = Infinity }: HistoryLimits,
): Violation[] {
  const times = handOverTimes(timelines);
  const p99 = percentile(times, 0.99);
  if (!(p99 > handOverMs)) return [];
  return [{ invariant: 'I5', at: 0, text: `the p99 of ${times.length} hand-overs is ${p99.toFixed(1)} ms` }];
}

/** I9: every call and every release settles by its deadline, except in killed processes. */
export function settling(
  timelines: readonly LeaseTimeline[],
  history: History,
  limits: HistoryLimits,
): Violation[] {
  const { settleMs = 100, releaseMs = Infinity } = limits;
  const stalls = new Stalls(history);
  const hasEnded = new Set(history.flatMap(({ kind, process }) => (kind === 'ended' ? [process] : [])));
  const answers = new Map(
    history.flatMap((event) =>
      event.kind === 'acquired' || event.kind === 'failed' ? [[event.call, event.at]] : [],
    ),
  );
  const check = (what: string, process: string, due: number, answeredAt: number | undefined): Violation[] => {
    if (answeredAt === undefined)
      return hasEnded.has(process) ? [{ invariant: 'I9', at: due, text: `${what} never settled` }] : [];
    if (answeredAt <= due + settleMs + stalls.within(process, due, answeredAt)) return [];
    return [
      { invariant: 'I9', at: answeredAt, text: `${what} settled ${(answeredAt - due).toFixed(1)} ms late` },
    ];
  };
  const calls = history.flatMap((event) =>
    event.kind === 'asked'
      ? check(event.call, event.process, event.deadline ?? Infinity, answers.get(event.call))
      : [],
  );
  const releases = timelines.flatMap(({ lease, process, releasingAt, released }) =>
    releasingAt === undefined
      ? []
      : check(`the release of ${lease}`, process, releasingAt + releaseMs, released?.at),
  );
  return [...calls, ...releases];
}

/** From a release to the start of the next holder, if that one had been waiting and no other holder overlaps. */
export function handOverTimes(timelines: readonly LeaseTimeline[]): number[] {
  return byResource(timelines).flatMap((group) =>
    group.slice(1).flatMap(({ askedAt = Infinity, acquiredAt, share }, i) => {
      const { releasingAt } = group[i]!;
      if (share.capacity > 1) return [];
      return releasingAt !== undefined && askedAt < releasingAt ? [acquiredAt - releasingAt] : [];
    }),
  );
}

/** NaN for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
