import type { QueueEntry } from '../../../../../libs/lock/src/backends/session-queue/queue-store.js';
import {
  blockersOf,
  fits,
  holdersIn,
} from '../../../../../libs/lock/src/backends/session-queue/queue-admission.js';
import { leaseClassFor } from '../../../../../libs/lock/src/backends/session-queue/lease-class.js';
import { tokenOf } from '../../../../../libs/lock/src/backends/session-queue/tokens.js';

/** A queue of so many units each, of `capacity`. */
function queueOf(capacity: number, ...units: number[]): QueueEntry[] {
  return units.map((own, i) => ({
    ...{
      resource: 'r',
      claimId: `c${i}`,
      mode: 'shared',
      units: own,
      capacity,
      leaseMs: 1_000,
      location: `/r/${i}`,
    },
  }));
}

describe('the blockers of a claim', () => {
  it.each<[what: string, capacity: number, ahead: number[], units: number, blockers: string[]]>([
    ['a mutex behind three', 1, [1, 1, 1], 1, ['c2']],
    ['a reader behind a writer and two readers', 1_000, [1, 1_000, 1, 1], 1, ['c1']],
    ['a writer behind readers', 1_000, [1, 1, 1], 1_000, ['c2']],
    ['one of three permits behind five', 3, [1, 1, 1, 1, 1], 1, ['c4', 'c3', 'c2']],
    ['two of three behind one of two', 3, [1, 2, 1], 2, ['c1']],
  ])('of %s', (_what, capacity, units, own, blockers) => {
    const ahead = queueOf(capacity, ...units);
    expect(blockersOf({ units: own, capacity }, ahead).map(({ claimId }) => claimId)).toEqual(blockers);
  });

  it('are enough, whichever others leave, and none is too many', () => {
    let seed = 7;
    const random = (most: number): number => 1 + ((seed = (seed * 48_271) % 2_147_483_647) % most);
    for (let i = 0; i < 2_000; i += 1) {
      const capacity = random(6);
      const ahead = queueOf(capacity, ...Array.from({ length: random(6) - 1 }, () => random(capacity)));
      const claim = { units: random(capacity), capacity };
      const blockers = blockersOf(claim, ahead);
      if (fits(claim, ahead)) continue;
      // All others have left, and it still does not fit; without the last blocker it might.
      expect(fits(claim, blockers)).toBe(false);
      expect(fits(claim, blockers.slice(0, -1))).toBe(true);
    }
  });
});

it('the holders of a queue never have more than there is', () => {
  expect(holdersIn(queueOf(3, 1, 3, 1)).map(({ claimId }) => claimId)).toEqual(['c0']);
  expect(holdersIn(queueOf(3, 1, 1, 2, 1)).map(({ claimId }) => claimId)).toEqual(['c0', 'c1']);
});

it('a lease is in the shortest class that has room for it', () => {
  expect([1, 500, 501, 16_000, 16_001, 26_000].map((ms) => leaseClassFor(ms, 26_000))).toEqual([
    500, 500, 1_000, 16_000, 26_000, 26_000,
  ]);
  expect([400, 600].map((ms) => leaseClassFor(ms, 600))).toEqual([500, 600]);
});

it('a number of changes that is too great for a token is refused, never cut', () => {
  expect(tokenOf(1, 'zookeeper')).toBe(512);
  expect(Number.isSafeInteger(tokenOf(2 ** 44 - 2 ** 16, 'zookeeper') + 2 ** 25 - 1)).toBe(true);
  for (const revision of [2 ** 44, 2 ** 53, 2 ** 63, -1, 0, NaN])
    expect(() => tokenOf(revision, 'zookeeper')).toThrow('too great for a token');
});
