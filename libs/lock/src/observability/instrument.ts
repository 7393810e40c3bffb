import { metrics, trace, type Meter, type Tracer } from '@opentelemetry/api';
import { checkFields, checkWhole } from '../core/checks.js';
import { LockMetrics, MAX_NAMES, type MetricSource } from './lock-metrics.js';
import { LockTraces } from './lock-traces.js';
import { OtelSink } from './otel-sink.js';

/** What OpenTelemetry calls the source of these metrics and spans. */
const SCOPE = 'bedrock-lock';

export interface InstrumentOptions {
  /** Where metrics go: the global meter provider by default; `false` for none. */
  readonly meter?: Meter | false;
  /** Where spans go: the global tracer provider by default; `false` for none. */
  readonly tracer?: Tracer | false;
  /** Names of locks that metrics tell apart, 200 by default; the others are `other`. */
  readonly maxNames?: number;
}

const FIELDS: ReadonlySet<string> = new Set(['meter', 'tracer', 'maxNames']);

/**
 * Writes metrics and spans of a `Bedrock` to OpenTelemetry, from now on. Gives back what ends that. Attributes name locks,
 * kinds, modes and the backend, and never a key.
 * @throws InvalidOptionError naming the field
 */
export function instrument(bedrock: MetricSource, options: InstrumentOptions = {}): () => void {
  checkFields('options', options, FIELDS);
  const { meter = metrics.getMeter(SCOPE), tracer = trace.getTracer(SCOPE), maxNames = MAX_NAMES } = options;
  checkWhole('maxNames', maxNames, 1, 10_000);
  const parts = [
    ...(meter === false ? [] : [new LockMetrics(bedrock, new OtelSink(meter), maxNames)]),
    ...(tracer === false ? [] : [new LockTraces(bedrock, tracer)]),
  ];
  return () => {
    for (const part of parts) part.stop();
  };
}
