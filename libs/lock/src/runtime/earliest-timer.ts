import type { Clock, Timer } from '../core/clock.js';

/** A timer that took longer to set, in ms, is set again. */
const PAUSE_MS = 5;

/**
 * One timer for many instants. It fires at the earliest instant, and its owner then arms it for the
 * next. An instant that is over early stays armed: clearing a timer for each would cost more.
 */
export class EarliestTimer {
  #timer: Timer | undefined;
  #firesAt = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly fired: (lateMs: number) => void,
    /**
     * The longest sleep, in ms. A suspended system is noticed this long after it woke up.
     * @default unbounded
     */
    private readonly longestMs = Infinity,
  ) {}

  arm(at: number): void {
    if (at >= this.#firesAt) return;
    let before: number;
    let now = this.clock.now();
    this.#firesAt = Math.min(at, now + this.longestMs);
    // A process that is stopped between the two would wait for the whole delay once it goes on.
    do {
      before = now;
      this.#clear();
      this.#timer = this.clock.setTimer(this.#fire, this.#firesAt - before);
      now = this.clock.now();
    } while (now - before > PAUSE_MS);
  }

  /** Stops the timer for good: `arm()` does nothing any more. */
  stop(): void {
    this.#clear();
    this.#firesAt = -Infinity;
  }

  #clear(): void {
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  readonly #fire = (): void => {
    const lateMs = this.clock.now() - this.#firesAt;
    this.#timer = undefined;
    this.#firesAt = Infinity;
    this.fired(lateMs);
  };
}
