interface Span {
  readonly from: number;
  readonly to: number;
}

/** Stalls of one process's event loop. */
export class StalledTime {
  readonly #spans: Span[] = [];

  /** Adds a stall that ended at `to` and lasted `lateMs`. */
  add(to: number, lateMs: number): void {
    this.#spans.push({ from: to - lateMs, to });
  }

  /** How much of [from, to] was stalled, in ms. */
  within(from: number, to: number): number {
    return this.#partsWithin(from, to).reduce((sum, ms) => sum + ms, 0);
  }

  /** The longest part of a stall in [from, to], in ms. */
  longestWithin(from: number, to: number): number {
    return Math.max(0, ...this.#partsWithin(from, to));
  }

  #partsWithin(from: number, to: number): number[] {
    return this.#spans
      .map((span) => Math.min(span.to, to) - Math.max(span.from, from))
      .filter((ms) => ms > 0);
  }
}
