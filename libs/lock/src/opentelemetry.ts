export { instrument, type InstrumentOptions } from './observability/instrument.js';
export { LockMetricProducer, type CollectedMetrics } from './observability/metric-producer.js';
export type { MetricSource } from './observability/lock-metrics.js';
export { withCodeFunction } from './observability/lock-traces.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
