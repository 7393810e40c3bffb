import { ManualClock } from './manual-clock.js';

/**
 * Time that passes by itself, and only while nothing else happens: whenever all has come to rest, the clock goes on to the next
 * timer. Minutes of leases take milliseconds, for code that waits for nothing but this clock.
 */
export class FlowingClock extends ManualClock {
  #isFlowing = false;

  /** Lets time pass from now on. Gives what stops it, and resolves when it stands still. */
  flow(): () => Promise<void> {
    this.#isFlowing = true;
    const flowing = this.#flow();
    return () => {
      this.#isFlowing = false;
      return flowing;
    };
  }

  async #flow(): Promise<void> {
    while (this.#isFlowing) {
      await this.settle();
      const dueAt = this.nextDueAt;
      if (dueAt !== undefined) await this.advance(Math.max(0, dueAt - this.now()));
    }
  }
}
