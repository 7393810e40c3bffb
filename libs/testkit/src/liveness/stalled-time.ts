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
    let ms = 0;
    for (const span of this.#spans) ms += Math.max(0, Math.min(span.to, to) - Math.max(span.from, from));
    return ms;
  }
}
