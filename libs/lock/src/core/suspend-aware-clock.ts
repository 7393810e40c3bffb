import type { Clock, Timer } from './clock.js';

/** The two clocks may differ by so much from reading to reading, since the wall clock counts whole ms. */
const NOISE_MS = 2;
/** From here on a wall clock that runs ahead is either set or tells of a sleep. */
const MARGIN_MS = 50;
/**
 * A clock that counts sleep goes in steps (10 ms on Linux). Within this distance it agrees with
 * another clock.
 */
const STEPS_MS = 30;
/**
 * The other clock is read first, so an interruption between the two readings makes it look behind.
 * It is read again, so often.
 */
const LOOKS = 3;

/**
 * A clock whose monotonic time goes on while the machine is suspended. CLOCK_BOOTTIME does so;
 * CLOCK_MONOTONIC, which Node reads, does not. Only this class decides whether time has jumped.
 * Holds, permits, sessions and samples of a server's clock keep instants of `now()`. Each instant
 * is as long ago as the time that has really elapsed. Elapsed time is that of the monotonic clock
 * or that of the wall clock, whichever is longer. A wall clock that runs ahead by 50 ms and more
 * may have been set. The clock may have `sinceBoot()`, which counts sleep and is not set. If that
 * agrees with the monotonic clock, no time has passed. A wall clock that was set back hides no
 * later sleep.
 */
export class SuspendAwareClock implements Clock {
  /** Wall less monotonic ms, had there been no sleep. */
  #origin: number;
  #sleptMs = 0;
  /** The clock that counts sleep, less the monotonic one, when it was read last. */
  #bootAheadMs: number | undefined;

  constructor(private readonly clock: Clock) {
    this.#origin = this.#wallAhead();
    this.#bootAheadMs = this.#readBootAhead();
  }

  /**
   * How much of `now()` the machine has slept so far, in ms: the monotonic clock does not count it.
   */
  get sleptMs(): number {
    this.now();
    return this.#sleptMs;
  }

  now(): number {
    const wall = this.clock.wall();
    const monotonic = this.clock.now();
    const aheadMs = wall - monotonic - this.#origin - this.#sleptMs;
    if (Math.abs(aheadMs) > NOISE_MS) this.#differs(aheadMs);
    return monotonic + this.#sleptMs;
  }

  wall(): number {
    return this.clock.wall();
  }

  sinceBoot(): number | undefined {
    return this.clock.sinceBoot?.();
  }

  setTimer(callback: () => void, ms: number, keepsAlive = false): Timer {
    return this.clock.setTimer(callback, ms, keepsAlive);
  }

  clearTimer(timer: Timer): void {
    this.clock.clearTimer(timer);
  }

  afterPoll(callback: () => void): void {
    this.clock.afterPoll(callback);
  }

  random(): number {
    return this.clock.random();
  }

  randomBytes(size: number): Uint8Array {
    return this.clock.randomBytes(size);
  }

  /** The wall clock is `aheadMs` ahead of the elapsed time, or behind. */
  #differs(aheadMs: number): void {
    const isInterrupted = aheadMs < 0 && this.#wallAhead() - this.#origin - this.#sleptMs >= -NOISE_MS;
    if (isInterrupted) return;
    const passedMs = this.#passed(aheadMs);
    this.#sleptMs += passedMs;
    this.#origin += aheadMs - passedMs;
  }

  /** How much of that is time. */
  #passed(aheadMs: number): number {
    // Also for a small difference, so that a later one is compared with the sleep since then alone.
    const sleptMs = this.#sleptByBoot() ?? aheadMs;
    if (Math.abs(aheadMs) < MARGIN_MS) return Math.max(0, aheadMs);
    return Math.abs(sleptMs) <= STEPS_MS ? 0 : Math.max(0, aheadMs, sleptMs);
  }

  /** What the machine slept since the last such question, by the clock that counts sleep, in ms. */
  #sleptByBoot(): number | undefined {
    const [before, now] = [this.#bootAheadMs, this.#readBootAhead()];
    this.#bootAheadMs = now;
    return before === undefined || now === undefined ? undefined : now - before;
  }

  #readBootAhead(): number | undefined {
    return this.#aheadAtMost(() => this.clock.sinceBoot?.());
  }

  /** Wall less monotonic ms. */
  #wallAhead(): number {
    return this.#aheadAtMost(() => this.clock.wall())!;
  }

  /** The time read minus monotonic ms, from the reading with the shortest interruption. */
  #aheadAtMost(read: () => number | undefined): number | undefined {
    let ahead = -Infinity;
    for (let look = 0; look < LOOKS; look += 1) {
      const other = read();
      if (other === undefined) return undefined;
      ahead = Math.max(ahead, other - this.clock.now());
    }
    return ahead;
  }
}

const known = new WeakMap<Clock, SuspendAwareClock>();

/** The same for the same clock, so that instants of an engine and of its backend can be compared. */
export function suspendAware(clock: Clock): SuspendAwareClock {
  if (clock instanceof SuspendAwareClock) return clock;
  let aware = known.get(clock);
  if (aware === undefined) known.set(clock, (aware = new SuspendAwareClock(clock)));
  return aware;
}
