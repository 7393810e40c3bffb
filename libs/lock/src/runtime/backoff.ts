/** Pauses in ms: each is the one before times the factor, up to the longest. */
export interface Pauses {
  readonly first: number;
  readonly longest: number;
  /** @default 2 */
  readonly factor?: number;
}

/** Pauses that grow after each failure. */
export class Backoff {
  #nextMs: number;

  constructor(private readonly pauses: Pauses) {
    this.#nextMs = pauses.first;
  }

  /** The pause that is due, in ms. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** The pause that is due; the next one is longer. */
  take(): number {
    const pause = this.#nextMs;
    const { longest, factor = 2 } = this.pauses;
    this.#nextMs = Math.min(pause * factor, longest);
    return pause;
  }

  reset(): void {
    this.#nextMs = this.pauses.first;
  }
}
