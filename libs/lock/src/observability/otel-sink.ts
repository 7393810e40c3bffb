import type { Counter, Histogram, Meter, ObservableResult } from '@opentelemetry/api';
import type { HistogramMetric, Metric } from './metric-catalog.js';
import type { Attributes, GaugeReader, MetricSink } from './metric-sink.js';

type Observer = (result: ObservableResult) => void;

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

  gauge({ name, unit, description }: Metric, read: GaugeReader): void {
    const gauge = this.meter.createObservableGauge(name, { unit, description });
    this.#observe(gauge, (result) => {
      for (const [attributes, value] of read()) result.observe(value, attributes);
    });
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #observe(
    instrument: { addCallback(observer: Observer): void; removeCallback(observer: Observer): void },
    observer: Observer,
  ): void {
    instrument.addCallback(observer);
    this.#stops.push(() => instrument.removeCallback(observer));
  }
}
