interface Span {
  readonly from: number;
  readonly to: number;
}

/** When the event loop of a process was not free. */
export class StalledTime {
  readonly #spans: Span[] = [];

  /** The stall ended at `to` and had lasted `lateMs`. */
  add(to: number, lateMs: number): void {
    this.#spans.push({ from: to - lateMs, to });
  }

  /** How much of [from, to] was stalled, ms. */
  within(from: number, to: number): number {
    let ms = 0;
    for (const span of this.#spans) ms += Math.max(0, Math.min(span.to, to) - Math.max(span.from, from));
    return ms;
  }
}
