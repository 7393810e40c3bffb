/** Pauses that grow, from the first to the longest, in ms. */
export class Backoff {
  #nextMs: number;

  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
    private readonly factor = 2,
  ) {
    this.#nextMs = firstMs;
  }

  /** The pause that is due, in ms. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** The pause that is due; the next one is longer. */
  take(): number {
    const pause = this.#nextMs;
    this.#nextMs = Math.min(pause * this.factor, this.longestMs);
    return pause;
  }

  reset(): void {
    this.#nextMs = this.firstMs;
  }
}
