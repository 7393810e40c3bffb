import { READERS } from 'bedrock-lock/backend';
import type { History } from './history-event.js';
import type { LeaseTimeline } from './lease-timeline.js';
import { Stalls } from './stalls.js';
import type { HistoryLimits, Violation } from './violation.js';

/** Stalls stretch a bound at most to this multiple. */
const MOST_STRETCH = 4;

/** I5: no waiter starves, even if other callers never pause. */
export function starvation(
  timelines: readonly LeaseTimeline[],
  history: History,
  { turns }: HistoryLimits,
): Violation[] {
  if (turns === undefined) return [];
  const stalls = new Stalls(history);
  const waited = turnsWaited(timelines);
  return timelines.flatMap(({ lease, process, askedAt, acquiredAt }, i) => {
    if (waited[i]! <= turns.most) return [];
    const stretch = 1 + stalls.longestWithin(askedAt!, acquiredAt) / turns.inMs;
    if (waited[i]! <= turns.most * Math.min(stretch, MOST_STRETCH)) return [];
    const text = `${lease} (${process}) waited for ${waited[i]} turns of others, bound ${turns.most}, stretched ${stretch.toFixed(2)} times by stalls`;
    return [{ invariant: 'I5' as const, at: acquiredAt, text }];
  });
}

/**
 * For each lease, the number of turns that began while its caller waited. A reader is not blocked by other readers:
 * their turns while it awaits its answer show a slow machine, not an unfair order.
 */
export function turnsWaited(timelines: readonly LeaseTimeline[]): number[] {
  const all = startsOf(timelines);
  const writers = startsOf(timelines.filter((timeline) => !isReader(timeline)));
  return timelines.map((timeline) => {
    const { askedAt, acquiredAt } = timeline;
    const starts = isReader(timeline) ? writers : all;
    return countBefore(starts, acquiredAt) - countBefore(starts, askedAt ?? acquiredAt);
  });
}

function isReader({ share: { units, capacity } }: LeaseTimeline): boolean {
  return capacity === READERS && units < capacity;
}

function startsOf(timelines: readonly LeaseTimeline[]): number[] {
  return timelines.map(({ acquiredAt }) => acquiredAt).sort((a, b) => a - b);
}

/** The number of times before `at`; the times are sorted. */
function countBefore(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
