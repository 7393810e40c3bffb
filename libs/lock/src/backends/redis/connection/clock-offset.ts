import type { Clock } from '../../../core/clock.js';
import { suspendAware, type SuspendAwareClock } from '../../../core/suspend-aware-clock.js';

/** A sample is replaced by a worse one (it travelled longer) only when it is this old, in ms. */
const SAMPLE_LIFE_MS = 1_000;
/** A server whose clock nobody needs is asked for it this often, in ms: what is known grows vague by 1 % of that. */
const SAMPLE_EVERY_MS = 250;
/** How far clock rates may drift apart: docs/safety.md promises exclusion up to this. */
const DRIFT = 0.01;

/** What is known about the server's clock, from replies that carry it. */
export class RedisClockOffset {
  // Server time less local time is between the two.
  #offset = -Infinity;
  #sampledAt = -Infinity;
  /** What the machine had slept until then, ms. */
  #sleptMs = 0;
  #ceiling = Infinity;
  #ceilingSampledAt = -Infinity;
  /** When the server was asked last, as far as it has answered. */
  #askedAt = -Infinity;

  readonly #clock: SuspendAwareClock;

  constructor(clock: Clock) {
    this.#clock = suspendAware(clock);
  }

  localNow(): number {
    return this.#clock.now();
  }

  /**
   * Takes the server's time out of a reply that has just been read.
   * @param sentAt a local instant before its request was sent
   */
  addSample(serverMs: number, sentAt: number): void {
    const now = this.#clock.now();
    this.#askedAt = sentAt;
    const offset = serverMs - now;
    if (offset >= this.#offset || now - this.#sampledAt >= SAMPLE_LIFE_MS) {
      this.#offset = offset;
      this.#sampledAt = now;
      this.#sleptMs = this.#clock.sleptMs;
    }
    // The server counts whole ms: it may have been almost one later.
    const ceiling = serverMs + 1 - sentAt;
    if (ceiling <= this.#ceiling || now - this.#ceilingSampledAt >= SAMPLE_LIFE_MS) {
      this.#ceiling = ceiling;
      this.#ceilingSampledAt = now;
    }
  }

  /** Nobody has asked for a while: whoever sends something now should. */
  isSampleDueAt(localMs: number): boolean {
    return localMs - this.#askedAt >= SAMPLE_EVERY_MS;
  }

  /**
   * A server time, whole ms, that is never later than local time `localMs`: the reply took its time, the server's clock
   * counts whole ms, and it may have slowed down since; what looked like a sleep may have been a clock that was set. Too early
   * only costs a `stale` answer, which brings a new sample.
   */
  earliestServerTime(localMs: number): number {
    if (localMs === Infinity) return Number.MAX_SAFE_INTEGER;
    const aged = Math.max(0, localMs - this.#sampledAt);
    const sleptMs = this.#clock.sleptMs - this.#sleptMs;
    return Math.floor(localMs + this.#offset - sleptMs - aged * DRIFT) - 1;
  }

  /**
   * A local instant that is not later than server time `serverMs`, which lies in the past; -Infinity when nothing is known. A
   * server whose clock was set forward meanwhile makes it too late, but never later than now.
   */
  earliestLocalTime(serverMs: number): number {
    const now = this.#clock.now();
    const aged = Math.max(0, now - this.#ceilingSampledAt);
    return this.#ceiling === Infinity ? -Infinity : Math.min(now, serverMs - this.#ceiling - aged * DRIFT);
  }

  /** The next connection may lead to another server. */
  reset(): void {
    this.#offset = this.#sampledAt = this.#ceilingSampledAt = this.#askedAt = -Infinity;
    this.#ceiling = Infinity;
  }
}
