import { onePerProcess } from '../runtime/one-per-process.js';
import type { GaugeMetric } from './metric-catalog.js';
import type { Attributes, GaugeReader } from './metric-sink.js';

type Readers = Set<GaugeReader>;

/** By the meter or the registry, and by the name of the gauge. */
const all = onePerProcess('gaugeReaders', () => new WeakMap<object, Map<string, Readers>>());

/**
 * The readers of a gauge in one place, a meter or a registry: one for each Bedrock that writes there.
 * @param onFirst called when the place has not seen the gauge yet
 */
export function gaugeReadersOf(
  place: object,
  { name }: GaugeMetric,
  onFirst: (readers: Readers) => void = () => undefined,
): Readers {
  const gauges = all.get(place) ?? new Map<string, Readers>();
  all.set(place, gauges);
  let readers = gauges.get(name);
  if (readers === undefined) {
    readers = new Set();
    gauges.set(name, readers);
    onFirst(readers);
  }
  return readers;
}

/** Every series of a gauge, with one value for all readers. */
export function readAll(readers: Readers, { merge }: GaugeMetric): Iterable<readonly [Attributes, number]> {
  const series = new Map<string, readonly [Attributes, number]>();
  for (const read of readers)
    for (const [attributes, value] of read()) {
      const key = JSON.stringify(Object.entries(attributes));
      const known = series.get(key);
      series.set(key, [attributes, known === undefined ? value : merge(known[1], value)]);
    }
  return series.values();
}
