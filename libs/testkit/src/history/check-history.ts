import { endOf, timelinesOf, type LeaseTimeline } from './lease-timeline.js';
import type { History } from './history-event.js';
import { isHeldAccuracy, exclusion, ownership, tokens } from './holding-invariants.js';
import { Stalls } from './stalls.js';
import { starvation, turnsWaited } from './fairness-invariants.js';
import { handOver, handOverTimes, loss, percentile, settling } from './timing-invariants.js';
import type { HistoryLimits, Violation } from './violation.js';

/** Result of a history check. */
export interface HistoryReport {
  /** Empty if every promise was kept. In the order of time. */
  readonly violations: readonly Violation[];
  readonly leases: number;
  /** Leases that ended before their release. */
  readonly lost: number;
  /** A line for each of them: when it ended, why, and how long its process was stalled meanwhile. */
  readonly losses: readonly string[];
  /** Leases per process. */
  readonly turns: Readonly<Record<string, number>>;
  /** Failed calls by error code. */
  readonly failures: Readonly<Record<string, number>>;
  /** The longest time from request to grant, in ms. */
  readonly longestWaitMs: number;
  /**
   * The most turns that began while one caller waited for its own: a measure of fairness that holds on a slow machine
   * too.
   */
  readonly mostTurnsWaited: number;
  /** From a release to the start of the next holder that had been waiting, in ms. */
  readonly handOverMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

/**
 * Checks a history by the invariants of docs/safety/invariants.md: I1 exclusion, I2 tokens, I3 `isHeld`, I4 loss, I5 hand-over,
 * I7 ownership, I9 settling. The events may come in any order.
 */
export function checkHistory(history: History, limits: HistoryLimits = {}): HistoryReport {
  const ordered = [...history].sort((a, b) => a.at - b.at);
  const timelines = timelinesOf(ordered);
  const violations = [
    ...exclusion(timelines),
    ...tokens(timelines),
    ...isHeldAccuracy(timelines),
    ...loss(timelines, ordered, limits),
    ...handOver(timelines, limits),
    ...starvation(timelines, ordered, limits),
    ...ownership(timelines, ordered),
    ...settling(timelines, ordered, limits),
  ];
  const times = handOverTimes(timelines);
  const lost = timelines.filter(
    (timeline) => timeline.lostAt !== undefined || endOf(timeline) < (timeline.releasingAt ?? -Infinity),
  );
  const stalls = new Stalls(ordered);
  return {
    violations: violations.sort((a, b) => a.at - b.at),
    leases: timelines.length,
    lost: lost.length,
    losses: lost.map((timeline) => lossText(timeline, stalls)),
    turns: count(timelines.map(({ process }) => process)),
    failures: count(ordered.flatMap((event) => (event.kind === 'failed' ? [event.code] : []))),
    longestWaitMs: largest(timelines.map(({ askedAt, acquiredAt }) => acquiredAt - (askedAt ?? acquiredAt))),
    mostTurnsWaited: largest(turnsWaited(timelines)),
    handOverMs: {
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      max: largest(times),
    },
  };
}

function lossText(timeline: LeaseTimeline, stalls: Stalls): string {
  const { process, lease, resource, acquiredAt, lossReason = 'expired, and no event' } = timeline;
  const end = endOf(timeline);
  const stalledMs = stalls.within(process, acquiredAt, end);
  const times = `after ${(end - acquiredAt).toFixed(0)} ms, of which its process was stalled ${stalledMs.toFixed(0)}`;
  return `${lease} of ${process} on ${resource} was over ${times}: ${lossReason}`;
}

/** 0 for an empty list. Avoids spreading, since a list may exceed the argument limit of a call. */
function largest(values: readonly number[]): number {
  return values.reduce((one, other) => Math.max(one, other), 0);
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
