/** An application with nestjs-otel. Prints its spans, each with the name of its parent, and the acquisitions it counted. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { memory } from 'bedrock-lock/memory';
import { BedrockLockModule, DistributedLock } from 'nestjs-bedrock';
import { OpenTelemetryModule, Span } from 'nestjs-otel';

class IdleReader extends MetricReader {
  async onForceFlush() {}

  async onShutdown() {}
}

class Orders {
  async pay() {}

  async checkout() {
    await this.pay();
  }
}
decorate('pay', DistributedLock('order'));
decorate('checkout', Span('checkout'));

function decorate(name, decorator) {
  const method = Object.getOwnPropertyDescriptor(Orders.prototype, name);
  Object.defineProperty(Orders.prototype, name, decorator(Orders.prototype, name, method) ?? method);
}

const exporter = new InMemorySpanExporter();
const reader = new IdleReader();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

class App {}
const locks = BedrockLockModule.forRoot({ backend: () => memory(), locks: ['order'], telemetry: true });
Module({ imports: [OpenTelemetryModule.forRoot(), locks], providers: [Orders] })(App);
const app = await NestFactory.createApplicationContext(App, { logger: ['error'] });
await app.get(Orders).checkout();

const spans = exporter.getFinishedSpans();
const nameOf = (id) => spans.find((span) => span.spanContext().spanId === id)?.name;
const { resourceMetrics } = await reader.collect();
const acquisitions = resourceMetrics.scopeMetrics
  .flatMap((scope) => scope.metrics)
  .filter(({ descriptor }) => descriptor.name === 'bedrock.lock.acquisitions')
  .flatMap(({ dataPoints }) => dataPoints.map(({ value }) => value));
console.log(
  JSON.stringify({
    spans: spans.map(({ name, parentSpanContext }) => [name, nameOf(parentSpanContext?.spanId) ?? '']),
    acquisitions,
  }),
);
await app.close();
