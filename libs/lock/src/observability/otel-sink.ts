import type { Histogram, Meter } from '@opentelemetry/api';
import type { GaugeMetric, HistogramMetric, Metric } from './metric-catalog.js';
import type { Attributes, GaugeReader, MetricSink } from './metric-sink.js';
import { CounterSeries } from './series.js';
import { sharedMetric } from './shared-metric.js';

/**
 * Writes metrics to a meter of OpenTelemetry. Counts are kept here and read at each collection: `Counter.add()` of the SDK
 * costs some two microseconds for its attributes, each time. Histograms cannot be read, so each value is recorded.
 */
export class OtelSink implements MetricSink {
  readonly #histograms = new Map<string, Histogram>();
  readonly #stops: (() => void)[] = [];

  constructor(private readonly meter: Meter) {}

  histogram({ name, unit, description, buckets }: HistogramMetric, attributes: Attributes) {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      const advice = { explicitBucketBoundaries: [...buckets] };
      histogram = this.meter.createHistogram(name, { unit, description, advice });
      this.#histograms.set(name, histogram);
    }
    const series = histogram;
    return (value: number): void => series.record(value, attributes);
  }

  counter({ name, unit, description }: Metric, attributes: Attributes): () => void {
    const shared = sharedMetric(this.meter, name);
    if (!shared.isShown) {
      shared.isShown = true;
      this.meter.createObservableCounter(name, { unit, description }).addCallback((result) => {
        for (const series of shared.all<CounterSeries>()) result.observe(series.value, series.attributes);
      });
    }
    return shared.series(attributes, () => new CounterSeries(attributes)).add;
  }

  gauge(metric: GaugeMetric, read: GaugeReader): void {
    const { name, unit, description } = metric;
    const shared = sharedMetric(this.meter, name);
    if (!shared.isShown) {
      shared.isShown = true;
      // One callback for all: of several that give a value for the same series, a meter keeps one.
      this.meter.createObservableGauge(name, { unit, description }).addCallback((result) => {
        for (const [attributes, value] of shared.read(metric)) result.observe(value, attributes);
      });
    }
    shared.readers.add(read);
    this.#stops.push(() => shared.readers.delete(read));
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }
}
