import type { Metric as RegisteredMetric, Registry } from 'prom-client';
import { InvalidOptionError } from '../core/errors.js';
import type { GaugeMetric, HistogramMetric, Metric } from './metric-catalog.js';
import type { Attributes, GaugeReader, MetricSink } from './metric-sink.js';
import { CounterSeries, HistogramSeries } from './series.js';
import { sharedMetric, type SharedMetric } from './shared-metric.js';

/** Marks metrics of any version of this package. */
const OWN = Symbol.for('bedrock-lock.metric');

type Labels = Readonly<Record<string, string | number>>;

/** A value as prom-client prints it; those of a histogram have names of their own. */
interface PrintedValue {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string;
}

/**
 * Writes metrics to a registry of prom-client, under the names that Prometheus gives them when it receives OTLP. Several
 * Bedrocks may share a registry. Values are kept here and read at each scrape: a metric of prom-client would compute the key
 * of its labels for each value.
 */
export class PrometheusSink implements MetricSink {
  readonly #stops: (() => void)[] = [];

  constructor(private readonly register: Registry) {}

  histogram(metric: HistogramMetric, attributes: Attributes): (value: number) => void {
    const name = prometheusName(metric);
    const shared = this.#show(metric, { name, type: 'histogram' }, (all) =>
      [...all.all<HistogramSeries>()].flatMap((series) => printedHistogram(name, series)),
    );
    return shared.series(attributes, () => new HistogramSeries(attributes, metric.buckets)).record;
  }

  counter(metric: Metric, attributes: Attributes): () => void {
    const name = `${prometheusName(metric)}_total`;
    const shared = this.#show(metric, { name, type: 'counter' }, (all) =>
      Array.from(all.all<CounterSeries>(), (series) => ({
        labels: labelsOf(series.attributes),
        value: series.value,
      })),
    );
    return shared.series(attributes, () => new CounterSeries(attributes)).add;
  }

  gauge(metric: GaugeMetric, read: GaugeReader): void {
    const shared = this.#show(metric, { name: prometheusName(metric), type: 'gauge' }, (all) =>
      Array.from(all.read(metric), ([attributes, value]) => ({ labels: labelsOf(attributes), value })),
    );
    shared.readers.add(read);
    this.#stops.push(() => shared.readers.delete(read));
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /**
   * Has the registry print a metric, also after it was cleared.
   * @throws InvalidOptionError if the name belongs to another metric of the registry
   */
  #show(
    { description, merge }: Metric & Partial<Pick<GaugeMetric, 'merge'>>,
    { name, type }: { readonly name: string; readonly type: string },
    print: (shared: SharedMetric) => readonly PrintedValue[],
  ): SharedMetric {
    const shared = sharedMetric(this.register, name);
    const known = this.register.getSingleMetric(name) as object | undefined;
    if (known !== undefined && OWN in known) return shared;
    if (known !== undefined) throw new InvalidOptionError('register', `one without a metric "${name}"`, name);
    // Of the workers of a cluster.
    const aggregator = merge === Math.min ? 'min' : 'sum';
    const metric = {
      [OWN]: true,
      name,
      help: description,
      type,
      aggregator,
      get: async () => ({ name: metric.name, help: description, type, aggregator, values: print(shared) }),
      reset: () => shared.reset(),
    };
    this.register.registerMetric(metric as unknown as RegisteredMetric<string>);
    return shared;
  }
}

/** Cumulative buckets, sum and count. */
function printedHistogram(
  name: string,
  { attributes, bounds, counts, sum, count }: HistogramSeries,
): readonly PrintedValue[] {
  const labels = labelsOf(attributes);
  const values: PrintedValue[] = [];
  let below = 0;
  for (const [bucket, own] of counts.entries()) {
    below += own;
    const le = bounds[bucket] ?? '+Inf';
    values.push({ labels: { le, ...labels }, value: below, metricName: `${name}_bucket` });
  }
  values.push({ labels, value: sum, metricName: `${name}_sum` });
  values.push({ labels, value: count, metricName: `${name}_count` });
  return values;
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
