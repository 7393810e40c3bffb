import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AlwaysOffSampler,
  TracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace';
import { instrument, withCodeFunction } from 'bedrock-lock/opentelemetry';
import { Bench, track } from '../engine/bench.js';

describe('traces', () => {
  let bench: Bench;
  let exporter: InMemorySpanExporter;
  let provider: TracerProvider;
  let stop: () => void;
  beforeEach(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    bench = new Bench();
    exporter = new InMemorySpanExporter();
    provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    stop = instrument(bench.bedrock, { meter: false, tracer: provider.getTracer('test') });
  });
  afterEach(async () => {
    stop();
    await bench.close();
    await provider.shutdown();
    context.disable();
  });

  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  const named = (name: string): ReadableSpan[] => spans().filter((span) => span.name === name);

  /** Runs it inside a span of the caller, and gives that span. */
  async function inSpan(name: string, work: () => Promise<unknown>) {
    const span = provider.getTracer('caller').startSpan(name);
    await context.with(trace.setSpan(context.active(), span), work);
    span.end();
    return span.spanContext();
  }

  it('have a span for the wait and one for the hold, below the span of the caller', async () => {
    const caller = await inSpan('POST /orders', () => bench.lock().run(() => undefined));
    const [wait] = named('bedrock.lock.wait');
    const [hold] = named('bedrock.lock.hold');
    expect(wait!.parentSpanContext?.spanId).toBe(caller.spanId);
    expect(hold!.parentSpanContext?.spanId).toBe(caller.spanId);
    expect(hold!.links.map((link) => link.context.spanId)).toEqual([wait!.spanContext().spanId]);
    expect(wait!.attributes).toMatchObject({
      'bedrock.lock.name': 'r',
      'bedrock.lock.kind': 'mutex',
      'bedrock.lock.mode': 'exclusive',
      'bedrock.backend': 'memory',
      'bedrock.outcome': 'granted',
    });
    expect(hold!.attributes).toMatchObject({ 'bedrock.outcome': 'released', 'bedrock.lease.tries': 1 });
  });

  it('link a wait to the hold of this process that it waits for', async () => {
    const held = await bench.lock().acquire();
    const waiting = bench.lock().acquire();
    await bench.clock.advance(5);
    await held.release();
    await (await waiting).release();
    const [first, second] = named('bedrock.lock.hold');
    const waits = named('bedrock.lock.wait');
    expect(waits[1]!.links.map((link) => link.context.spanId)).toEqual([first!.spanContext().spanId]);
    expect(second!.attributes).toMatchObject({ 'bedrock.lease.handed_over': true });
    expect(second!.events.map(({ name }) => name)).toEqual(['handed_over']);
  });

  it('keep the context of the caller inside the body', async () => {
    let inside: string | undefined;
    const caller = await inSpan('job', () =>
      bench.lock().run(() => {
        inside = trace.getSpan(context.active())?.spanContext().spanId;
      }),
    );
    expect(inside).toBe(caller.spanId);
  });

  it('record renewals, and a loss as an error with its reason', async () => {
    const lease = await bench.lock().acquire();
    const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    await bench.clock.advance(1_000);
    bench.backend.cutOff();
    await bench.clock.advance(5_000);
    await lost;
    const [hold] = named('bedrock.lock.hold');
    expect(hold!.events.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['renewed', 'renewal_failed']),
    );
    expect(hold!.status).toEqual({ code: 2, message: 'lost: expired' });
  });

  it('mark a wait that timed out as an error, and a busy lock as none', async () => {
    const held = await bench.rival.acquire();
    const late = track(bench.lock().acquire({ waitMs: 100 }));
    await bench.clock.advance(200);
    await late.settled;
    await bench.lock().tryAcquire();
    await held.release();
    expect(
      named('bedrock.lock.wait').map(({ status, attributes }) => [
        attributes['bedrock.outcome'],
        status.code,
      ]),
    ).toEqual([
      ['timeout', 2],
      ['busy', 0],
    ]);
    expect(named('bedrock.lock.hold')).toEqual([]);
  });

  it('name the function that a lock is taken for', async () => {
    await withCodeFunction('OrdersService.pay', () => bench.lock().run(() => undefined));
    expect(spans().map(({ attributes }) => attributes['code.function.name'])).toEqual([
      'OrdersService.pay',
      'OrdersService.pay',
    ]);
  });

  it('keep nothing of what is not sampled', async () => {
    stop();
    const off = new TracerProvider({ sampler: new AlwaysOffSampler() });
    stop = instrument(bench.bedrock, { meter: false, tracer: off.getTracer('test') });
    const held = await bench.lock().acquire();
    await held.release();
    expect(spans()).toEqual([]);
  });
});
