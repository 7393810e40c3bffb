import type { Registry } from 'prom-client';
import { checkFields, checkWhole } from '../core/checks.js';
import { InvalidOptionError } from '../core/errors.js';
import { LockMetrics, MAX_NAMES, type MetricSource } from './lock-metrics.js';
import { PrometheusSink } from './prometheus-sink.js';

/** Options of `collect()`. */
export interface CollectOptions {
  /** The registry of prom-client that metrics are written to. */
  readonly register: Registry;
  /** Names of locks that metrics tell apart, 1 to 10,000; the others are `other`. @default 200 */
  readonly maxNames?: number;
}

const FIELDS: ReadonlySet<string> = new Set(['register', 'maxNames']);

/**
 * Writes the metrics of a `Bedrock` to a registry of prom-client, from now on: those of `bedrock-lock/opentelemetry`, for
 * applications without OpenTelemetry. Gives back what ends that.
 * @throws InvalidOptionError naming the field
 */
export function collect(bedrock: MetricSource, options: CollectOptions): () => void {
  checkFields('options', options, FIELDS);
  const { register, maxNames = MAX_NAMES } = options;
  if (typeof (register as Registry | undefined)?.getSingleMetric !== 'function')
    throw new InvalidOptionError('register', 'a registry of prom-client', register);
  checkWhole('maxNames', maxNames, 1, 10_000);
  const metrics = new LockMetrics(bedrock, new PrometheusSink(register), maxNames);
  return () => metrics.stop();
}
