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
  /** Polls of the waiter before a hand-over. */
  readonly afterPolls: number;
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
    run: async ({ usage, one, other, count, afterPolls }) => {
      const held = await usage.hold(one);
      const isWaiting = whenWaiting(usage, other);
      const next = usage.take(other);
      await isWaiting();
      const { backend } = other.peer;
      const polled = backend.commands + afterPolls;
      await other.context.eventually('it has polled', () => backend.commands >= polled);
      await count.settle();
      // Not released: the cleanup of a free resource would be counted in later rounds.
      return count.of(async () => {
        await held.release();
        await next;
      });
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

/** A caller that waits asks once more when it has subscribed to releases. */
const QUESTIONS_OF_A_WAITER = 2;

/** Called before a caller comes. The result resolves when the caller waits and will hear of a release. */
function whenWaiting(usage: Usage, use: Use): () => Promise<void> {
  const { context, peer, name } = use;
  const { push } = peer.backend.traits;
  const polling = usage.polls?.(use);
  if (polling !== undefined) return () => polling;
  let answers = 0;
  const stopListening = peer.on('backend.request', ({ resource }) => {
    // Two locks at once have names of their own.
    if (resource.startsWith(name)) answers += 1;
  });
  const isWaiting = (): boolean => peer.stats().waiters === 1 && (answers >= QUESTIONS_OF_A_WAITER || !push);
  return () => context.eventually('it waits', isWaiting).finally(stopListening);
}
