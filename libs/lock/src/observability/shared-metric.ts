import { onePerProcess } from '../runtime/one-per-process.js';
import type { GaugeMetric } from './metric-catalog.js';
import type { Attributes, GaugeReader } from './metric-sink.js';
import type { CounterSeries, HistogramSeries } from './series.js';

type Series = CounterSeries | HistogramSeries;

/** One metric in one place, a meter or a registry: all Bedrocks that write there share it. */
export class SharedMetric {
  /** What shows it there has been made. */
  isShown = false;
  /** Of a gauge: one for each Bedrock. */
  readonly readers = new Set<GaugeReader>();
  readonly #series = new Map<string, Series>();

  /** The series of these attributes, made at the first request; it stays when a Bedrock ends. */
  series<S extends Series>(attributes: Attributes, make: () => S): S {
    const key = keyOf(attributes);
    const known = this.#series.get(key) as S | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.#series.set(key, made);
    return made;
  }

  /** All series begin anew; gauges are what they are. */
  reset(): void {
    for (const series of this.#series.values()) series.reset();
  }

  all<S extends Series>(): Iterable<S> {
    return this.#series.values() as Iterable<S>;
  }

  /** Every series of a gauge, with one value for all its readers. */
  read({ merge }: GaugeMetric): Iterable<readonly [Attributes, number]> {
    const merged = new Map<string, readonly [Attributes, number]>();
    for (const read of this.readers)
      for (const [attributes, value] of read()) {
        const key = keyOf(attributes);
        const known = merged.get(key);
        merged.set(key, [attributes, known === undefined ? value : merge(known[1], value)]);
      }
    return merged.values();
  }
}

/** By the place, and by the name of the metric there. */
const places = onePerProcess('metrics', () => new WeakMap<object, Map<string, SharedMetric>>());

/** The metric of this name in a meter or a registry. */
export function sharedMetric(place: object, name: string): SharedMetric {
  const metrics = places.get(place) ?? new Map<string, SharedMetric>();
  places.set(place, metrics);
  const metric = metrics.get(name) ?? new SharedMetric();
  metrics.set(name, metric);
  return metric;
}

function keyOf(attributes: Attributes): string {
  return JSON.stringify(Object.entries(attributes));
}
