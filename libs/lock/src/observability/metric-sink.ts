import type { GaugeMetric, HistogramMetric, Metric } from './metric-catalog.js';

/** What tells the series of a metric apart. Never a key: that has as many values as there are entities. */
export type Attributes = Readonly<Record<string, string>>;

/** Reads a gauge: a value for each series. */
export type GaugeReader = () => Iterable<readonly [Attributes, number]>;

/** Where metrics go. A series is asked for once, and its function is called for each value. */
export interface MetricSink {
  histogram(metric: HistogramMetric, attributes: Attributes): (value: number) => void;
  counter(metric: Metric, attributes: Attributes): () => void;
  gauge(metric: GaugeMetric, read: GaugeReader): void;
  /** Ends the reading of gauges. */
  close(): void;
}
