interface Span {
  readonly from: number;
  readonly to: number;
}

/** Stalls of one process's event loop, in the order of their ends; one may begin before others, as a sleep of the machine. */
export class StalledTime {
  readonly #spans: Span[] = [];
  #longestMs = 0;

  /** Adds a stall that ended at `to`, the latest so far, and lasted `lateMs`. */
  add(to: number, lateMs: number): void {
    this.#spans.push({ from: to - lateMs, to });
    this.#longestMs = Math.max(this.#longestMs, lateMs);
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
    const parts: number[] = [];
    if (!(from < to)) return parts;
    // None that ends later than this reaches back to `to`.
    const latest = to + this.#longestMs;
    for (let i = this.#firstAfter(from); i < this.#spans.length && this.#spans[i]!.to < latest; i += 1) {
      const span = this.#spans[i]!;
      if (span.from < to) parts.push(Math.min(span.to, to) - Math.max(span.from, from));
    }
    return parts;
  }

  /** Index of the first stall that ends after `from`, by bisection: a process on a busy machine has very many. */
  #firstAfter(from: number): number {
    let [low, high] = [0, this.#spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#spans[middle]!.to > from) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
