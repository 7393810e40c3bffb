import type { Attributes } from './metric-sink.js';

/** A count that only grows. */
export class CounterSeries {
  value = 0;

  constructor(readonly attributes: Attributes) {}

  reset(): void {
    this.value = 0;
  }

  /** One more. */
  readonly add = (): void => {
    this.value += 1;
  };
}

/** The values of a histogram, by bucket. A value must cost little beside a lock. */
export class HistogramSeries {
  /** Of each bucket alone; the last one has no upper bound. */
  readonly counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(
    readonly attributes: Attributes,
    /** Upper bounds, inclusive, ascending. */
    readonly bounds: readonly number[],
  ) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  reset(): void {
    this.counts.fill(0);
    this.sum = 0;
    this.count = 0;
  }

  readonly record = (value: number): void => {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
    counts[bucket]! += 1;
    this.sum += value;
    this.count += 1;
  };
}

export type Recorder = (value: number) => void;

/** What metrics know of the locks with one name, kind and mode: their usage at this moment, and what records it. */
export class LockSeries {
  held = 0;
  waiting = 0;
  /** By metric, then by outcome. */
  readonly #recorders = new Map<string, Map<string, Recorder>>();

  constructor(readonly attributes: Attributes) {}

  /** What was given to `keep()`. */
  recorder(metric: string, outcome: string): Recorder | undefined {
    return this.#recorders.get(metric)?.get(outcome);
  }

  keep(metric: string, outcome: string, recorder: Recorder): Recorder {
    const known = this.#recorders.get(metric) ?? new Map<string, Recorder>();
    this.#recorders.set(metric, known.set(outcome, recorder));
    return recorder;
  }
}
