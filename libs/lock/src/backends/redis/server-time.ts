import type { Clock } from '../../core/clock.js';

/** A sample is replaced by a worse one (it travelled longer) only when it is this old, in ms. */
const SAMPLE_LIFE_MS = 1_000;
/** How far clock rates may drift apart: docs/safety.md promises exclusion up to this. */
const DRIFT = 0.01;

/** What is known about the server's clock, from replies that carry it. */
export class ServerTime {
  #offset = -Infinity;
  #learnedAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Takes the server's time out of a reply that has just been read. */
  learn(serverMs: number): void {
    const now = this.clock.now();
    const offset = serverMs - now;
    if (offset < this.#offset && now - this.#learnedAt < SAMPLE_LIFE_MS) return;
    this.#offset = offset;
    this.#learnedAt = now;
  }

  /**
   * A server time, whole ms, that is never later than local time `localMs`: the reply took its time, the server's clock
   * counts whole ms, and it may have slowed down since. Too early only costs a `stale` answer, which brings a new sample.
   */
  notLaterThan(localMs: number): number {
    const aged = Math.max(0, localMs - this.#learnedAt);
    return Math.floor(localMs + this.#offset - aged * DRIFT) - 1;
  }

  /** The next connection may lead to another server. */
  forget(): void {
    this.#offset = this.#learnedAt = -Infinity;
  }
}
