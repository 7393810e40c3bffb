export { collect, type CollectOptions } from './observability/collect.js';
export type { MetricSource } from './observability/lock-metrics.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
