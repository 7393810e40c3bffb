import type { Clock } from '../../core/clock.js';

/** The time that is left of one `waitMs` over several acquisitions in a row. */
export class WaitBudget {
  readonly #beganAt: number;

  constructor(
    private readonly clock: Clock,
    /** 0: each resource is requested once, without a wait. */
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
