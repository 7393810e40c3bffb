import assert from 'node:assert/strict';
import type { RoundTripStep } from '../../context/request-meter.js';
import type { RequestCount, Requests } from './request-count.js';
import type { Usage, Use } from './usage.js';

/** Callers of two processes, and what counts their requests. */
export interface Round {
  readonly usage: Usage;
  readonly one: Use;
  readonly other: Use;
  /** Of a process whose requests are not counted. */
  readonly observer: Use;
  readonly count: RequestCount;
}

interface Step {
  /** False where the primitive does not have the step. @default it has */
  isIn?(usage: Usage): boolean;
  run(round: Round): Promise<Requests>;
}

/** From when to when each step is counted. */
export const STEPS: Readonly<Record<RoundTripStep, Step>> = {
  cycle: {
    run: ({ usage, one, count }) =>
      count.of(async () => {
        if (usage.cycle !== undefined) await usage.cycle(one);
        else if (usage.isUsedOnce) await (await usage.hold(one)).release();
        else await (await usage.take(one)).release();
      }),
  },

  reentry: {
    isIn: (usage) => usage.nest !== undefined,
    run: async ({ usage, one, observer, count }) => {
      const lock = usage.nest!(one);
      const seen = usage.nest!(observer);
      // The depth goes to the server in the background.
      const isShown = (depth: number): Promise<void> =>
        one.context.eventually(`depth ${depth} is shown`, async () =>
          (await seen.depths()).every((shown) => shown === depth),
        );
      let cost: Requests | undefined;
      await lock.run(async () => {
        await count.settle();
        cost = await count.of(async () => {
          await lock.run(() => isShown(2));
          await isShown(1);
        });
      });
      return cost!;
    },
  },

  handOver: {
    run: async ({ usage, one, other, count }) => {
      const held = await usage.hold(one);
      const isWaiting = whenWaiting(usage, other);
      const next = usage.take(other);
      await isWaiting();
      await count.settle();
      const cost = await count.of(async () => {
        await held.release();
        await next;
      });
      // Not released: the cleanup of a free resource would be counted in later rounds.
      return cost;
    },
  },

  renewal: {
    isIn: (usage) => usage.keep !== undefined,
    run: async ({ usage, one, count }) => {
      const kept = await usage.keep!(one);
      await count.settle();
      const cost = await count.of(() => kept.extend());
      await kept.release();
      return cost;
    },
  },

  giveUp: {
    run: async ({ usage, one, other, count }) => {
      await usage.hold(one);
      const patience = new AbortController();
      await count.settle();
      const cost = await count.of(async () => {
        const isWaiting = whenWaiting(usage, other);
        const turn = usage.take({ ...other, signal: patience.signal });
        const left = assert.rejects(turn, { code: 'LOCK_ABORTED' });
        await isWaiting();
        await count.settle();
        // To leave at the end of `waitMs` is the same, only later.
        patience.abort();
        await left;
      });
      return cost;
    },
  },
};

/** Called before a caller comes. The result resolves when the caller waits and will hear of a release. */
function whenWaiting(usage: Usage, use: Use): () => Promise<void> {
  const { context, peer } = use;
  const { push } = peer.backend.traits;
  // Subscriptions of earlier waits linger, and end at any time.
  let before = peer.stats().watches;
  const isWaiting = (): boolean => {
    const { waiters, watches } = peer.stats();
    before = Math.min(before, watches);
    return waiters === 1 && (watches > before || !push);
  };
  const polling = usage.polls?.(use);
  return () => polling ?? context.eventually('it waits', isWaiting);
}
