import type { Clock } from '../../core/clock.js';

/** One wait for several things that come one after the other. */
export class Wait {
  readonly #beganAt: number;

  constructor(
    private readonly clock: Clock,
    /** 0: nobody waits, each is asked for once. */
    readonly waitMs: number,
  ) {
    this.#beganAt = clock.now();
  }

  get waitedMs(): number {
    return this.clock.now() - this.#beganAt;
  }

  get leftMs(): number {
    return Math.max(0, this.waitMs - this.waitedMs);
  }
}
