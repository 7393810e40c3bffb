import type { Unsubscribe, Waker } from '../../core/ports/ports.js';
import type { WakeableSleep } from '../../runtime/wakeable-sleep.js';
import type { WakeHub } from './wake-hub.js';

/** Where the server pushes wakes, the sweep asks again; this only bounds the sleep. In ms. */
export const LONGEST_SLEEP_MS = 60_000;
/** Where the server pushes no wakes, the front of a queue polls after this long, doubled each time, in ms. */
export const UNPUSHED_POLL_MS = { first: 20, longest: 200 };
/** Pause before an unreachable backend is asked again, doubled each time, in ms. */
export const RETRY_MS = { first: 50, longest: 1_000 };

/**
 * What a request brought. `served`: all waiters that it asked for have their turn. `refused`: at least one of them waits
 * on, and a wake may help. `failed`: there was no answer, or none that could be used.
 */
export type RequestOutcome = 'served' | 'refused' | 'failed';

/** How a queue asks for the waiters at its front. */
export interface WaitingStrategy<Usage> {
  readonly resource: string;
  /** How the resource is used: what the server needs to know for its wakes. */
  readonly usage: Usage;
  readonly waiterCount: number;
  /** A waiter is at the front, and a request may serve it. */
  readonly isWanted: boolean;
  /** The server pushes wakes, and the waiter at the front wants them. */
  readonly listens: boolean;
  /** The sleep between two requests. */
  readonly sleep: WakeableSleep;
  /** Ends the sleep, unless the wake is for another claim. */
  readonly wake: Waker;
  /** Sends one request and gives its waiters what it brought. Never rejects. */
  ask(): Promise<RequestOutcome>;
  /** The sleep after a request that did not serve, in ms. @param isWatching wakes of the server arrive */
  pauseMs(isWatching: boolean): number;
  /** No request is wanted any more. */
  end(): void;
}

/** The only waiting loop: asks for the front of one queue until no waiter is left that a request may serve. */
export async function runWaitingLoop<Usage>(
  strategy: WaitingStrategy<Usage>,
  hub: WakeHub<Usage>,
): Promise<void> {
  const { resource, sleep, wake } = strategy;
  let unwatch: Unsubscribe | undefined;
  while (strategy.isWanted) {
    sleep.reset();
    // A live subscription is joined before asking, so that no wake falls between the answer and the sleep.
    if (strategy.listens) unwatch ??= hub.join(resource, wake);
    const outcome = await strategy.ask();
    if (outcome === 'served' || strategy.waiterCount === 0 || sleep.isWoken) continue;
    if (outcome === 'refused' && strategy.listens && unwatch === undefined) {
      unwatch = await hub.watch(resource, strategy.usage, wake);
      // A release before the subscription stood has woken no waiter: ask once more.
      if (unwatch !== undefined) continue;
    }
    // Without an answer there may be no connection either, and Node would end in the middle of the caller's `await`.
    await sleep.sleep(strategy.pauseMs(strategy.listens && unwatch !== undefined), outcome === 'failed');
  }
  unwatch?.();
  strategy.end();
}
