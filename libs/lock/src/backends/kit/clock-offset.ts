import type { Clock } from '../../core/clock.js';
import { suspendAware, type SuspendAwareClock } from '../../core/suspend-aware-clock.js';

/** A sample is replaced by a worse one (a slower round trip) only at this age, in ms. */
const SAMPLE_LIFE_MS = 1_000;
/**
 * Interval at which an unused server clock is read again, in ms: the estimate grows vague by 1 % of
 * that.
 */
const SAMPLE_EVERY_MS = 250;
/** How far clock rates may drift apart: docs/safety/README.md promises exclusion up to this. */
const DRIFT = 0.01;
/** The unit of a server's times. */
const UNITS_PER_MS = { ms: 1, us: 1_000 };

/** An estimate of the server's clock, from replies that carry its time: whole ms, or whole µs. */
export class ClockOffset {
  // Server time minus local time lies between `#offset` and `#ceiling`, ms.
  #offset = -Infinity;
  #sampledAt = -Infinity;
  /** Total sleep of the machine at the last sample, ms. */
  #sleptMs = 0;
  #ceiling = Infinity;
  #ceilingSampledAt = -Infinity;
  /** When the last answered request was sent. */
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  readonly #clock: SuspendAwareClock;
  readonly #unitsPerMs: number;

  /** @param unit of the server's times */
  constructor(clock: Clock, unit: keyof typeof UNITS_PER_MS) {
    this.#clock = suspendAware(clock);
    this.#unitsPerMs = UNITS_PER_MS[unit];
  }

  get isKnown(): boolean {
    return this.#offset > -Infinity;
  }

  localNow(): number {
    return this.#clock.now();
  }

  /**
   * Resolves when the clock is known; many callers share one request. @param ask for the server's
   * time
   */
  async whenKnown(ask: () => Promise<number>): Promise<void> {
    if (this.isKnown) return;
    this.#asking ??= ask()
      .then((serverTime) => this.addSample(serverTime))
      .finally(() => (this.#asking = undefined));
    await this.#asking;
  }

  /**
   * Takes the server's time from a reply that has just been read.
   * @param sentAt a local instant before its request was sent; without it, no server time can be
   * converted to local time
   */
  addSample(serverTime: number, sentAt = -Infinity): void {
    const now = this.#clock.now();
    this.#askedAt = sentAt;
    const offset = serverTime / this.#unitsPerMs - now;
    if (offset >= this.#offset || now - this.#sampledAt >= SAMPLE_LIFE_MS) {
      this.#offset = offset;
      this.#sampledAt = now;
      this.#sleptMs = this.#clock.sleptMs;
    }
    // The server counts whole units: it may have been almost one later.
    const ceiling = (serverTime + 1) / this.#unitsPerMs - sentAt;
    if (ceiling <= this.#ceiling || now - this.#ceilingSampledAt >= SAMPLE_LIFE_MS) {
      this.#ceiling = ceiling;
      this.#ceilingSampledAt = now;
    }
  }

  /** No reply has carried the server's time for a while: the next request should ask for it. */
  isSampleDueAt(localMs: number): boolean {
    return localMs - this.#askedAt >= SAMPLE_EVERY_MS;
  }

  /**
   * A server time that is never later than local time `localMs`; 0 when nothing is known. The reply
   * took its time, the server counts whole units, and its clock may have slowed down since. An
   * apparent sleep may have been a clock that was set. Too early only costs a `stale` answer, which
   * brings a new sample.
   */
  earliestServerTime(localMs: number): number {
    if (!this.isKnown) return 0;
    if (localMs === Infinity) return Number.MAX_SAFE_INTEGER;
    const aged = Math.max(0, localMs - this.#sampledAt);
    const sleptMs = this.#clock.sleptMs - this.#sleptMs;
    return Math.floor((localMs + this.#offset - sleptMs - aged * DRIFT) * this.#unitsPerMs) - 1;
  }

  /**
   * A local instant that is not later than `serverTime`, which lies in the past; -Infinity when
   * nothing is known. If the server's clock was set forward meanwhile, the instant is too late, but
   * never later than now.
   */
  earliestLocalTime(serverTime: number): number {
    const now = this.#clock.now();
    const aged = Math.max(0, now - this.#ceilingSampledAt);
    if (this.#ceiling === Infinity) return -Infinity;
    return Math.min(now, serverTime / this.#unitsPerMs - this.#ceiling - aged * DRIFT);
  }

  /** The next connection may lead to another server. */
  reset(): void {
    this.#offset = this.#sampledAt = this.#ceilingSampledAt = this.#askedAt = -Infinity;
    this.#ceiling = Infinity;
  }
}
