import type { Clock } from '../../../core/clock.js';
import { suspendAware, type SuspendAwareClock } from '../../../core/suspend-aware-clock.js';

/** A sample is replaced by a worse one (it travelled longer) only when it is this old, in ms. */
const SAMPLE_LIFE_MS = 1_000;
/** How far clock rates may drift apart: docs/safety.md promises exclusion up to this. */
const DRIFT = 0.01;
const US = 1_000;

/** The known offset of the database's clock, from answers that carry it. */
export class DatabaseClockOffset {
  // Database time less local time, ms, is at least this.
  #offset = -Infinity;
  #learnedAt = -Infinity;
  /** What the machine had slept until then, ms. */
  #sleptMs = 0;
  #asking: Promise<void> | undefined;

  readonly #clock: SuspendAwareClock;

  constructor(clock: Clock) {
    this.#clock = suspendAware(clock);
  }

  get isKnown(): boolean {
    return this.#offset > -Infinity;
  }

  /** Resolves when something is known, also when many ask at once. @param ask for the database's time, µs */
  async whenKnown(ask: () => Promise<number>): Promise<void> {
    if (this.isKnown) return;
    this.#asking ??= ask()
      .then((databaseUs) => this.update(databaseUs))
      .finally(() => (this.#asking = undefined));
    await this.#asking;
  }

  /** Takes the time out of an answer that has just been read. */
  update(databaseUs: number): void {
    const now = this.#clock.now();
    const offset = databaseUs / US - now;
    if (offset >= this.#offset || now - this.#learnedAt >= SAMPLE_LIFE_MS) {
      this.#offset = offset;
      this.#learnedAt = now;
      this.#sleptMs = this.#clock.sleptMs;
    }
  }

  /**
   * A database time, whole µs, that is never later than local time `localMs`: the answer took its time, and the database's
   * clock may have slowed down since; what looked like a sleep may have been a clock that was set. Too early only costs a
   * `stale` answer, which brings a new sample.
   */
  notLaterThan(localMs: number): number {
    if (!this.isKnown) return 0;
    if (localMs === Infinity) return Number.MAX_SAFE_INTEGER;
    const aged = Math.max(0, localMs - this.#learnedAt);
    const sleptMs = this.#clock.sleptMs - this.#sleptMs;
    return Math.floor((localMs + this.#offset - sleptMs - aged * DRIFT) * US) - 1;
  }

  /** The next connection may lead to another server. */
  reset(): void {
    this.#offset = this.#learnedAt = -Infinity;
  }
}
