import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Bedrock, Lease } from 'bedrock-lock';
import { instrument, LockMetricProducer } from 'bedrock-lock/opentelemetry';
import { collect } from 'bedrock-lock/prometheus';
import { Registry } from 'prom-client';
import { openInMemory } from './bedrock.js';
import type { OpenLock, OpenLockOptions } from './open-lock.js';

/** Collects when asked, as a scrape does. */
class IdleReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}

  protected override async onShutdown(): Promise<void> {}
}

const opening =
  (observe: (bedrock: Bedrock) => void) =>
  (options: OpenLockOptions): Promise<OpenLock<Lease, Lease>> =>
    openInMemory(options, observe);

/** Without telemetry. */
export const openAlone = opening(() => undefined);

/** Metrics in the SDK of OpenTelemetry. */
export const openWithMetrics = opening((bedrock) => {
  const provider = new MeterProvider({ readers: [new IdleReader()] });
  instrument(bedrock, { meter: provider.getMeter('bench'), tracer: false });
});

/** Metrics that a reader of the SDK collects from a producer. */
export const openWithProducer = opening((bedrock) => {
  const producer = new LockMetricProducer();
  new MeterProvider({ readers: [new IdleReader({ metricProducers: [producer] })] });
  instrument(bedrock, { meter: producer, tracer: false });
});

/** Metrics in a registry of prom-client. */
export const openWithPrometheus = opening((bedrock) => void collect(bedrock, { register: new Registry() }));

/** Spans that are not sampled. */
export const openWithoutSamples = opening((bedrock) => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({ sampler: new AlwaysOffSampler() });
  instrument(bedrock, { meter: false, tracer: provider.getTracer('bench') });
});

/** Spans that are all recorded, and exported nowhere. */
export const openWithSpans = opening((bedrock) => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrument(bedrock, { meter: false, tracer: new TracerProvider().getTracer('bench') });
});
