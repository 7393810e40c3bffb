import type { Clock } from '../../core/clock.js';

/** Records that are remembered, at most; the one that was seen first is forgotten for a new one. */
const MOST_SEEN = 20_000;

/**
 * Records that this process has seen, as long as they live then. A hint: who is probably refused looks first, and needs one
 * statement instead of two.
 */
export class SeenRecords {
  /** Ends, local ms. */
  readonly #ends = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  isProbablyThere(resource: string): boolean {
    const end = this.#ends.get(resource);
    if (end === undefined || end > this.clock.now()) return end !== undefined;
    this.#ends.delete(resource);
    return false;
  }

  saw(resource: string, remainingMs: number): void {
    this.#ends.delete(resource);
    if (this.#ends.size >= MOST_SEEN) this.#ends.delete(this.#ends.keys().next().value!);
    this.#ends.set(resource, this.clock.now() + remainingMs);
  }

  gone(resource: string): void {
    this.#ends.delete(resource);
  }
}
