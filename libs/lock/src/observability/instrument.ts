import { metrics, trace, type Meter, type Tracer } from '@opentelemetry/api';
import { checkFields, checkWhole } from '../core/checks.js';
import { InvalidOptionError } from '../core/errors.js';
import { LockMetrics, MAX_NAMES, type MetricSource } from './lock-metrics.js';
import { LockTraces } from './lock-traces.js';
import { LockMetricProducer, ProducerSink } from './metric-producer.js';
import type { MetricSink } from './metric-sink.js';
import { OtelSink } from './otel-sink.js';

/** What OpenTelemetry calls the source of these metrics and spans. */
const SCOPE = 'bedrock-lock';

/** Options of `instrument()`. */
export interface InstrumentOptions {
  /** Where metrics go: the global meter provider by default; a producer for the least cost; `false` for none. */
  readonly meter?: Meter | LockMetricProducer | false;
  /** Where spans go: the global tracer provider by default; `false` for none. */
  readonly tracer?: Tracer | false;
  /** Names of locks that metrics tell apart, 1 to 10,000; the others are `other`. @default 200 */
  readonly maxNames?: number;
}

const FIELDS: ReadonlySet<string> = new Set(['meter', 'tracer', 'maxNames']);

function sinkOf(meter: Meter | LockMetricProducer): MetricSink {
  return meter instanceof LockMetricProducer ? new ProducerSink(meter) : new OtelSink(meter);
}

/** @throws InvalidOptionError unless it is false or has the method */
function checkMethod(field: string, given: unknown, method: string): void {
  if (given === false) return;
  const { [method]: found } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof found !== 'function')
    throw new InvalidOptionError(field, `a ${field} of OpenTelemetry, or false`, given);
}

/**
 * Writes metrics and spans of a `Bedrock` to OpenTelemetry, from now on. Gives back what ends that. Attributes name locks,
 * kinds, modes and the backend, and never a key.
 * @throws InvalidOptionError naming the field
 */
export function instrument(bedrock: MetricSource, options: InstrumentOptions = {}): () => void {
  checkFields('options', options, FIELDS);
  const { meter = metrics.getMeter(SCOPE), tracer = trace.getTracer(SCOPE), maxNames = MAX_NAMES } = options;
  checkWhole('maxNames', maxNames, 1, 10_000);
  if (!(meter instanceof LockMetricProducer)) checkMethod('meter', meter, 'createObservableGauge');
  checkMethod('tracer', tracer, 'startSpan');
  const parts = [
    ...(meter === false ? [] : [new LockMetrics(bedrock, sinkOf(meter), maxNames)]),
    ...(tracer === false ? [] : [new LockTraces(bedrock, tracer)]),
  ];
  return () => {
    for (const part of parts) part.stop();
  };
}
