import type { HistoryEvent } from '../../../libs/testkit/src/history/history-event.js';
import { endOf, timelinesOf, type LeaseTimeline } from '../../../libs/testkit/src/history/lease-timeline.js';
import type { SimSystem } from '../world/sim-system.js';

/** Added to two time-outs: a pause before the next connection, a sweep, `holdAtLeastMs`, and slow messages, in ms. */
const SLACK_MS = 1_000 + 1_200 + 150 + 600;
/** A process that was stopped for less is as good as one that was not, ms. */
const SHORT_STALL_MS = 20;

interface Change {
  readonly at: number;
  readonly what: 'waiting' | 'holding' | 'disruption';
  readonly by: 1 | -1;
}

/**
 * I5: with waiters, without a holder and without a fault, a waiter is served soon. A grant that was never given back
 * shows here: all waiters wait for its end.
 */
export function standstills({
  history,
  scenario,
  disruptions,
  world,
  deaths,
  closings,
}: SimSystem): string[] {
  const endOfLife = (process: string): number => deaths.get(process) ?? world.now;
  // A combination has a bound of its own, and nodes that are tried again after pauses.
  const timeoutMs = scenario.backend === 'single' ? scenario.operationTimeoutMs : 1_000;
  const bound = 2 * timeoutMs + SLACK_MS;
  // A process that closed before it had an answer to its release leaves the grant to the end of its lease.
  const endOnServer = (timeline: LeaseTimeline): number => {
    const { process, released, validUntil } = timeline;
    const isLeft =
      released?.outcome === 'unconfirmed' && (closings.get(process) ?? Infinity) < released.at + bound;
    return isLeft ? validUntil : endOf(timeline);
  };
  const timelines = timelinesOf([...history].sort((a, b) => a.at - b.at));
  const wrong = [...disruptions, ...stalls(history)].flatMap(({ from, to }) => span('disruption', from, to));
  const quarantined = scenario.restartGuard ? span('disruption', 0, scenario.maxLeaseMs + 500) : [];
  return scenario.kinds.flatMap((resource) => {
    const held = timelines
      .filter((timeline) => timeline.resource === resource)
      .flatMap((timeline) =>
        span('holding', timeline.acquiredAt, Math.min(endOnServer(timeline), world.now)),
      );
    const changes = [...wrong, ...quarantined, ...held, ...waits(history, resource, endOfLife)];
    return idleSpans(changes)
      .filter(({ from, to }) => to - from > bound)
      .map(
        ({ from, to }) =>
          `I5 at ${to.toFixed(3)}: ${resource} was free for ${(to - from).toFixed(0)} ms, and somebody waited`,
      );
  });
}

function span(what: Change['what'], from: number, to: number): Change[] {
  return to <= from
    ? []
    : [
        { at: from, what, by: 1 },
        { at: to, what, by: -1 },
      ];
}

function stalls(history: readonly HistoryEvent[]): { from: number; to: number }[] {
  return history.flatMap((event) =>
    event.kind === 'stalled' && event.lateMs > SHORT_STALL_MS
      ? [{ from: event.at - event.lateMs, to: event.at }]
      : [],
  );
}

function waits(
  history: readonly HistoryEvent[],
  resource: string,
  endOfLife: (process: string) => number,
): Change[] {
  const answers = new Map(
    history.flatMap((event) =>
      event.kind === 'acquired' || event.kind === 'failed' ? [[event.call, event.at] as const] : [],
    ),
  );
  return history.flatMap((event) => {
    if (event.kind !== 'asked' || event.resource !== resource) return [];
    // A waiter that was killed has no answer.
    return span('waiting', event.at, answers.get(event.call) ?? endOfLife(event.process));
  });
}

function idleSpans(changes: Change[]): { from: number; to: number }[] {
  const counts = { waiting: 0, holding: 0, disruption: 0 };
  const spans: { from: number; to: number }[] = [];
  let since: number | undefined;
  for (const { at, what, by } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    counts[what] += by;
    const isIdle = counts.waiting > 0 && counts.holding === 0 && counts.disruption === 0;
    if (isIdle) since ??= at;
    else if (since !== undefined) {
      spans.push({ from: since, to: at });
      since = undefined;
    }
  }
  return spans;
}
