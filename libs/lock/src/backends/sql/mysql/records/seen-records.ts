import type { Clock } from '../../../../core/clock.js';

/** Records of one generation; those of the one before are remembered too, and forgotten together. */
const MAX_SEEN = 10_000;

/**
 * Records that this process has seen, for as long as they lived then. It is a hint: a caller that
 * is probably refused reads first, and needs one statement instead of two.
 */
export class SeenRecords {
  /** Ends, local ms. */
  #ends = new Map<string, number>();
  #earlier = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  isProbablyThere(resource: string): boolean {
    const end = this.#ends.get(resource) ?? this.#earlier.get(resource);
    if (end === undefined || end > this.clock.now()) return end !== undefined;
    this.markGone(resource);
    return false;
  }

  markSeen(resource: string, remainingMs: number): void {
    if (this.#ends.size >= MAX_SEEN) {
      this.#earlier = this.#ends;
      this.#ends = new Map();
    }
    this.#ends.set(resource, this.clock.now() + remainingMs);
  }

  markGone(resource: string): void {
    this.#ends.delete(resource);
    this.#earlier.delete(resource);
  }
}
