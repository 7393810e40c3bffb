import type { History } from './history-event.js';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** When the event loop of each process was not free; bounds on promptness are given this time on top. */
export class Stalls {
  readonly #spans = new Map<string, Span[]>();

  constructor(history: History) {
    for (const event of history) {
      if (event.kind !== 'stalled') continue;
      const spans = this.#spans.get(event.process) ?? [];
      spans.push({ from: event.at - event.lateMs, to: event.at });
      this.#spans.set(event.process, spans);
    }
  }

  /** How much of [from, to] the process was stalled, in ms. */
  within(process: string, from: number, to: number): number {
    let ms = 0;
    for (const span of this.#spans.get(process) ?? []) {
      ms += Math.max(0, Math.min(span.to, to) - Math.max(span.from, from));
    }
    return ms;
  }
}
