import type { History } from './history-event.js';
import type { LeaseLife } from './lease-life.js';
import { Stalls } from './stalls.js';
import type { Bounds, Violation } from './violation.js';

/** Stalls stretch a bound to so many times itself at most. */
const MOST_STRETCH = 4;

/** I5: nobody starves beside others who never pause. */
export function starvation(lives: readonly LeaseLife[], history: History, { turns }: Bounds): Violation[] {
  if (turns === undefined) return [];
  const stalls = new Stalls(history);
  const waited = turnsWaited(lives);
  return lives.flatMap(({ lease, process, askedAt, acquiredAt }, i) => {
    if (waited[i]! <= turns.most) return [];
    const stretch = 1 + stalls.longestWithin(askedAt!, acquiredAt) / turns.inMs;
    if (waited[i]! <= turns.most * Math.min(stretch, MOST_STRETCH)) return [];
    const text = `${lease} (${process}) waited for ${waited[i]} turns of others, bound ${turns.most}, stretched ${stretch.toFixed(2)} times by stalls`;
    return [{ rule: 'I5' as const, at: acquiredAt, text }];
  });
}

/** For each lease, how many turns began while its caller waited for it. */
export function turnsWaited(lives: readonly LeaseLife[]): number[] {
  const starts = lives.map(({ acquiredAt }) => acquiredAt).sort((a, b) => a - b);
  const before = (at: number): number => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return lives.map(({ askedAt, acquiredAt }) => before(acquiredAt) - before(askedAt ?? acquiredAt));
}
