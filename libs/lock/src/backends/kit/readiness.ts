import type { Clock } from '../../core/clock.js';

interface ReadinessWaiter {
  readonly resolve: () => void;
  readonly reject: (error: Error | undefined) => void;
}

/** The callers that wait until a connection serves, and why it does not yet. */
export class Readiness {
  lastError: Error | undefined;
  readonly #waiters = new Set<ReadinessWaiter>();

  /** @param unavailable makes the error of a caller; `why` is the last error, if there was one */
  constructor(
    private readonly clock: Clock,
    private readonly unavailable: (why: Error | undefined, waitedMs: number) => Error,
  ) {}

  wait(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.#waiters.delete(waiter);
        this.clock.clearTimer(timer);
        then();
      };
      const waiter: ReadinessWaiter = {
        resolve: () => settle(resolve),
        reject: (why) => settle(() => reject(this.unavailable(why, ms))),
      };
      this.#waiters.add(waiter);
      // Timers run before sockets are read: what makes the connection serve may have come already.
      const giveUp = (): void => this.clock.afterPoll(() => waiter.reject(this.lastError));
      const timer = this.clock.setTimer(giveUp, ms, true);
    });
  }

  succeeded(): void {
    this.lastError = undefined;
    for (const waiter of this.#waiters) waiter.resolve();
  }

  /** `isFinal`: waiting longer is pointless. */
  failed(error: Error, isFinal: boolean): void {
    this.lastError = error;
    if (isFinal) for (const waiter of this.#waiters) waiter.reject(error);
  }
}
