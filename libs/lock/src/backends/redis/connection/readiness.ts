import type { Clock } from '../../../core/clock.js';
import { BackendUnavailableError } from '../../../core/errors.js';
import { notSent } from './failures.js';

interface ReadinessWaiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The callers that wait until a connection serves, and why it does not yet. */
export class Readiness {
  lastError: Error | undefined;
  readonly #waiters = new Set<ReadinessWaiter>();

  constructor(private readonly clock: Clock) {}

  wait(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.#waiters.delete(waiter);
        this.clock.clearTimer(timer);
        then();
      };
      const waiter: ReadinessWaiter = {
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(notSent(detailOf(error), error))),
      };
      this.#waiters.add(waiter);
      const timer = this.clock.setTimer(
        () => waiter.reject(this.lastError ?? new Error(`no connection within ${Math.round(ms)} ms`)),
        ms,
      );
    });
  }

  succeeded(): void {
    this.lastError = undefined;
    for (const waiter of this.#waiters) waiter.resolve();
  }

  /** `isFinal`: the server refused for good, so waiting longer is pointless. */
  failed(error: Error, isFinal: boolean): void {
    this.lastError = error;
    if (isFinal) for (const waiter of this.#waiters) waiter.reject(error);
  }
}

function detailOf(error: Error): string {
  return error instanceof BackendUnavailableError ? error.detail : error.message;
}
