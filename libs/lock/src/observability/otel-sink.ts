import type { Attributes as OtelAttributes, Histogram, Meter, ObservableResult } from '@opentelemetry/api';
import type { HistogramMetric, Metric } from './metric-catalog.js';
import type { Attributes, GaugeReader, MetricSink } from './metric-sink.js';

type Observer = (result: ObservableResult) => void;

/**
 * Writes metrics to a meter of OpenTelemetry. Counters are numbers of its own, which the SDK reads when it collects: counting
 * costs an addition.
 */
export class OtelSink implements MetricSink {
  readonly #histograms = new Map<string, Histogram>();
  readonly #counters = new Map<string, { readonly attributes: OtelAttributes; value: number }[]>();
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

  counter(metric: Metric, attributes: Attributes) {
    const counts = this.#counters.get(metric.name) ?? this.#observeCounter(metric);
    const count = { attributes, value: 0 };
    counts.push(count);
    return (): void => {
      count.value += 1;
    };
  }

  gauge({ name, unit, description }: Metric, read: GaugeReader): void {
    const gauge = this.meter.createObservableGauge(name, { unit, description });
    this.#observe(gauge, (result) => {
      for (const [attributes, value] of read()) result.observe(value, attributes);
    });
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #observeCounter({ name, unit, description }: Metric) {
    const counts: { readonly attributes: OtelAttributes; value: number }[] = [];
    this.#counters.set(name, counts);
    const counter = this.meter.createObservableCounter(name, { unit, description });
    this.#observe(counter, (result) => {
      for (const { attributes, value } of counts) result.observe(value, attributes);
    });
    return counts;
  }

  #observe(
    instrument: { addCallback(observer: Observer): void; removeCallback(observer: Observer): void },
    observer: Observer,
  ): void {
    instrument.addCallback(observer);
    this.#stops.push(() => instrument.removeCallback(observer));
  }
}
