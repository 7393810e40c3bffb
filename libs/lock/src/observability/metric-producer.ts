import { systemClock } from '../core/clock.js';
import type { GaugeMetric, HistogramMetric, Metric } from './metric-catalog.js';
import type { Attributes, GaugeReader, MetricSink } from './metric-sink.js';
import { CounterSeries, HistogramSeries } from './series.js';
import { SharedMetric } from './shared-metric.js';

/** Seconds since 1970, and the nanoseconds beyond them. */
type HrTime = [seconds: number, nanoseconds: number];

// Numbers of enumerations of @opentelemetry/sdk-metrics, which need not be installed.
const CUMULATIVE = 1;
const DOUBLE = 1;
const POINTS = { histogram: 0, gauge: 2, counter: 3 } as const;

/** A metric, and its series. */
interface ProducedMetric {
  readonly kind: keyof typeof POINTS;
  readonly metric: Metric;
  readonly shared: SharedMetric;
}

/** What a reader of the SDK collects: `CollectionResult` of its own, whose types are left to it. */
export interface CollectedMetrics {
  readonly resourceMetrics: never;
  errors: unknown[];
}

/**
 * Metrics of locks for a reader of the SDK: `new PeriodicExportingMetricReader({ exporter, metricProducers: [producer] })`,
 * and `instrument(bedrock, { meter: producer })`. Values are kept here and given at each collection, which costs a lock a
 * tenth of what a meter does: that computes the key of the attributes for each value. Sums are cumulative.
 */
export class LockMetricProducer {
  readonly #metrics = new Map<string, ProducedMetric>();
  readonly #startTime = hrTime();

  /** Called by the reader. */
  async collect(): Promise<CollectedMetrics> {
    const endTime = hrTime();
    const metrics = Array.from(this.#metrics.values(), (one) => this.#dataOf(one, endTime));
    const scopeMetrics = [{ scope: { name: 'bedrock-lock' }, metrics }];
    // The resource is that of the reader.
    return { resourceMetrics: { resource: undefined, scopeMetrics } as never, errors: [] };
  }

  /** @internal The metric of this name, asked for by what records it. */
  metric(kind: ProducedMetric['kind'], metric: Metric): SharedMetric {
    const known = this.#metrics.get(metric.name) ?? { kind, metric, shared: new SharedMetric() };
    this.#metrics.set(metric.name, known);
    return known.shared;
  }

  #dataOf({ kind, metric, shared }: ProducedMetric, endTime: HrTime) {
    const { name, description, unit } = metric;
    const points = [...pointsOf(kind, metric, shared)];
    return {
      descriptor: { name, description, unit, valueType: DOUBLE, type: kind.toUpperCase(), advice: {} },
      aggregationTemporality: CUMULATIVE,
      dataPointType: POINTS[kind],
      dataPoints: points.map(([attributes, value]) => ({
        attributes,
        value,
        startTime: this.#startTime,
        endTime,
      })),
      ...(kind === 'counter' && { isMonotonic: true }),
    };
  }
}

/** Writes metrics to a producer. */
export class ProducerSink implements MetricSink {
  readonly #stops: (() => void)[] = [];

  constructor(private readonly producer: LockMetricProducer) {}

  histogram(metric: HistogramMetric, attributes: Attributes): (value: number) => void {
    const shared = this.producer.metric('histogram', metric);
    return shared.series(attributes, () => new HistogramSeries(attributes, metric.buckets)).record;
  }

  counter(metric: Metric, attributes: Attributes): () => void {
    return this.producer.metric('counter', metric).series(attributes, () => new CounterSeries(attributes))
      .add;
  }

  gauge(metric: GaugeMetric, read: GaugeReader): void {
    const { readers } = this.producer.metric('gauge', metric);
    readers.add(read);
    this.#stops.push(() => readers.delete(read));
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }
}

function* pointsOf(
  kind: ProducedMetric['kind'],
  metric: Metric,
  shared: SharedMetric,
): Iterable<readonly [Attributes, unknown]> {
  if (kind === 'gauge') yield* shared.read(metric as GaugeMetric);
  else if (kind === 'counter')
    for (const { attributes, value } of shared.all<CounterSeries>()) yield [attributes, value];
  else
    for (const { attributes, bounds, counts, sum, count } of shared.all<HistogramSeries>())
      yield [attributes, { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count }];
}

function hrTime(): HrTime {
  const now = systemClock.wall();
  return [Math.floor(now / 1_000), (now % 1_000) * 1_000_000];
}
