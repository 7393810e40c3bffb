import { Injectable, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { context, trace, type SpanContext } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { BedrockLockModule, BedrockService, DistributedLock } from 'nestjs-bedrock';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deferred } from '../../support/deferred.js';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver.js';

@Injectable()
class Orders {
  @DistributedLock({ lock: 'order', key: '{0}' })
  async pay(_id: string): Promise<void> {
    trace.getTracer('shop').startSpan('charge the card').end();
    await sleep(50);
  }

  @DistributedLock({ lock: 'order', key: '{0}', maxHoldMs: 60 })
  async payForever(_id: string): Promise<void> {
    await sleep(150);
  }
}

describe('spans of an application, sent over OTLP/HTTP', () => {
  const receiver = new OtlpReceiver();
  let server: RunningServer;
  let provider: TracerProvider;
  let app: INestApplicationContext;

  beforeAll(async () => {
    server = await startRedis({ shared: true });
    const exporter = new OTLPTraceExporter({ url: await receiver.start() });
    provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(provider);
    @Module({
      imports: [
        BedrockLockModule.forRoot({
          backend: () => redis(server.url),
          prefix: `otlp-${randomUUID()}:`,
          locks: ['order'],
          telemetry: true,
        }),
      ],
      providers: [Orders],
    })
    class App {}
    app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    await app.get(BedrockService).bedrock().ready();
  });
  afterAll(async () => {
    await app?.close();
    await provider.shutdown();
    await receiver.stop();
    await server.stop();
    trace.disable();
    context.disable();
  });

  /** Runs work in a span of a handler; gives back what was received of it and below it. */
  async function inHandler(...works: readonly (() => Promise<unknown>)[]) {
    const contexts = await Promise.all(
      works.map(async (work, i): Promise<SpanContext> => {
        const span = provider.getTracer('http').startSpan(`POST /orders ${i}`);
        await context.with(trace.setSpan(context.active(), span), work).catch(() => undefined);
        span.end();
        return span.spanContext();
      }),
    );
    await provider.forceFlush();
    return contexts.map((one) => receiver.below(one));
  }

  const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
    const found = spans.filter((span) => span.name === name);
    expect(found).toHaveLength(1);
    return found[0]!;
  };

  it('are trees: the wait, the hold and the body below the handler', async () => {
    const [spans] = await inHandler(() => app.get(Orders).pay('1'));
    expect(spans!.map(({ name }) => name).sort()).toEqual([
      'bedrock.lock.hold',
      'bedrock.lock.wait',
      'charge the card',
    ]);
    const wait = named(spans!, 'bedrock.lock.wait');
    const hold = named(spans!, 'bedrock.lock.hold');
    expect(new Set(spans!.map(({ traceId }) => traceId)).size).toBe(1);
    expect(hold.links).toEqual([wait.spanId]);
    for (const { attributes } of [wait, hold])
      expect(attributes).toMatchObject({
        'bedrock.lock.name': 'order',
        'bedrock.lock.kind': 'mutex',
        'bedrock.backend': 'redis',
        'code.function.name': 'Orders.pay',
      });
    expect(JSON.stringify(spans)).not.toContain('order:1');
  });

  it('link a wait to the hold of another handler that it waited for', async () => {
    const held = deferred<void>();
    const first = app.get(BedrockService).lock('order').for('2');
    const [holder, waiter] = await inHandler(
      () =>
        first.run(async () => {
          held.open();
          await eventually(
            'the other one waits',
            () => app.get(BedrockService).bedrock().stats().waiters === 1,
          );
        }),
      async () => {
        await held.opened;
        await app.get(Orders).pay('2');
      },
    );
    const hold = named(holder!, 'bedrock.lock.hold');
    const wait = named(waiter!, 'bedrock.lock.wait');
    expect(wait.links).toEqual([hold.spanId]);
    expect([hold.status.code ?? 0, wait.status.code ?? 0]).toEqual([0, 0]);
  });

  it('say how a lease was lost', async () => {
    const [spans] = await inHandler(() => app.get(Orders).payForever('3'));
    const hold = named(spans!, 'bedrock.lock.hold');
    expect(hold.status).toEqual({ code: 2, message: 'lost: max_hold' });
    expect(hold.attributes).toMatchObject({ 'bedrock.outcome': 'lost' });
  });
});
