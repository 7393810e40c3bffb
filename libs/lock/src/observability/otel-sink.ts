import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import type { GaugeMetric, HistogramMetric, Metric } from './metric-catalog.js';
import type { Attributes, GaugeReader, MetricSink } from './metric-sink.js';
import { gaugeReadersOf, readAll } from './shared-gauges.js';

/** Writes metrics to a meter of OpenTelemetry. */
export class OtelSink implements MetricSink {
  readonly #histograms = new Map<string, Histogram>();
  readonly #counters = new Map<string, Counter>();
  readonly #stops: (() => void)[] = [];

  constructor(private readonly meter: Meter) {}

  histogram({ name, unit, description, buckets }: HistogramMetric, attributes: Attributes) {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      const advice = { explicitBucketBoundaries: [...buckets] };
      histogram = this.meter.createHistogram(name, { unit, description, advice });
      this.#histograms.set(name, histogram);
    }
    return (value: number): void => histogram.record(value, attributes);
  }

  counter({ name, unit, description }: Metric, attributes: Attributes) {
    let counter = this.#counters.get(name);
    if (counter === undefined) {
      counter = this.meter.createCounter(name, { unit, description });
      this.#counters.set(name, counter);
    }
    const series = counter;
    return (): void => series.add(1, attributes);
  }

  gauge(metric: GaugeMetric, read: GaugeReader): void {
    // One callback for all: of several that give a value for the same series, a meter keeps one.
    const readers = gaugeReadersOf(this.meter, metric, (all) => this.#observe(metric, all));
    readers.add(read);
    this.#stops.push(() => readers.delete(read));
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #observe(metric: GaugeMetric, readers: Set<GaugeReader>): void {
    const { name, unit, description } = metric;
    this.meter.createObservableGauge(name, { unit, description }).addCallback((result) => {
      for (const [attributes, value] of readAll(readers, metric)) result.observe(value, attributes);
    });
  }
}
