import { READERS } from 'bedrock-lock';
import type { History } from './history-event.js';
import type { LeaseTimeline } from './lease-timeline.js';
import { Stalls } from './stalls.js';
import type { HistoryLimits, Violation } from './violation.js';

/** Stalls stretch a bound to so many times itself at most. */
const MOST_STRETCH = 4;

/** I5: nobody starves beside others who never pause. */
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
 * For each lease, how many turns began while its caller waited for it. A reader is kept out by no other reader: what passes
 * there while it waits for its answer shows how slow the machine is, and nothing about whose turn it was.
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

/** How many of the times, which are in order, lie before `at`. */
function countBefore(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
