import type { Clock } from '../../core/clock.js';

/** Generations that are kept: an id is forgotten with the oldest of them. */
const GENERATIONS = 4;

/**
 * Ids that were added lately. They are forgotten by generations. Removing single ids from a set,
 * oldest first, would leave it full of holes. Every look at the oldest id would have to cross them.
 */
export class RecentIds {
  #generations: Set<string>[] = [new Set()];
  #nextAt: number;
  readonly #stepMs: number;

  /**
   * @param lifeMs so long an id is remembered at least; when it is a third older, the next one that
   * is added ends it
   */
  constructor(
    private readonly clock: Clock,
    lifeMs: number,
  ) {
    this.#stepMs = lifeMs / (GENERATIONS - 1);
    this.#nextAt = clock.now() + this.#stepMs;
  }

  add(id: string): void {
    this.#age();
    this.#generations[0]!.add(id);
  }

  has(id: string): boolean {
    for (const ids of this.#generations) if (ids.has(id)) return true;
    return false;
  }

  #age(): void {
    const now = this.clock.now();
    if (now < this.#nextAt) return;
    const steps = 1 + Math.floor((now - this.#nextAt) / this.#stepMs);
    const fresh = Array.from({ length: Math.min(steps, GENERATIONS) }, () => new Set<string>());
    this.#generations = [...fresh, ...this.#generations].slice(0, GENERATIONS);
    this.#nextAt += steps * this.#stepMs;
  }
}
