import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GaugeMetric, HistogramMetric, Metric } from './metric-catalog.js';
import type { Attributes, GaugeReader, MetricSink } from './metric-sink.js';
import { gaugeReadersOf, readAll } from './shared-gauges.js';

/** The labels of all metrics; a series leaves out what does not apply. */
const LABELS = [
  'bedrock_lock_name', 'bedrock_lock_kind', 'bedrock_lock_mode', 'bedrock_backend',
  'bedrock_outcome', 'bedrock_reason', 'bedrock_verb', 'bedrock_node',
]; // prettier-ignore

/**
 * Writes metrics to a registry of prom-client, under the names that Prometheus gives them when it receives OTLP. Several
 * Bedrocks may share a registry.
 */
export class PrometheusSink implements MetricSink {
  readonly #stops: (() => void)[] = [];

  constructor(private readonly register: Registry) {}

  histogram(metric: HistogramMetric, attributes: Attributes): (value: number) => void {
    const name = prometheusName(metric);
    const histogram =
      (this.register.getSingleMetric(name) as Histogram | undefined) ??
      new Histogram({ ...this.#about(metric, name), buckets: [...metric.buckets] });
    const series = histogram.labels(labelsOf(attributes));
    return (value) => series.observe(value);
  }

  counter(metric: Metric, attributes: Attributes): () => void {
    const name = `${prometheusName(metric)}_total`;
    const counter =
      (this.register.getSingleMetric(name) as Counter | undefined) ?? new Counter(this.#about(metric, name));
    const series = counter.labels(labelsOf(attributes));
    return () => series.inc();
  }

  gauge(metric: GaugeMetric, read: GaugeReader): void {
    const readers = gaugeReadersOf(this.register, metric);
    const name = prometheusName(metric);
    // A registry that was cleared has lost the gauge.
    if (this.register.getSingleMetric(name) === undefined)
      new Gauge({
        ...this.#about(metric, name),
        collect() {
          this.reset();
          for (const [attributes, value] of readAll(readers, metric)) this.set(labelsOf(attributes), value);
        },
      });
    readers.add(read);
    this.#stops.push(() => readers.delete(read));
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #about({ description }: Metric, name: string) {
    return { name, help: description, labelNames: LABELS, registers: [this.register] };
  }
}

/** `bedrock.lock.wait.duration` in seconds → `bedrock_lock_wait_duration_seconds`. */
function prometheusName({ name, unit }: Metric): string {
  return name.replaceAll('.', '_') + (unit === 's' ? '_seconds' : '');
}

function labelsOf(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.replaceAll('.', '_'), value]),
  );
}
