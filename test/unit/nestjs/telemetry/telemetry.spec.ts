import { jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

import { TracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { memory } from 'bedrock-lock/memory';
import { DistributedLock, type BedrockLockModuleOptions } from 'nestjs-bedrock';
import { openTelemetry, prometheus, type RunningTelemetry, type Telemetry } from 'nestjs-bedrock/telemetry';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Registry } from 'prom-client';
import { from, lastValueFrom, Observable } from 'rxjs';
import { hidePackage } from '../../../support/hide-package.js';
import { Measured } from '../../observability/collected.js';
import { closeAll, locksOf, start, startError } from '../app.js';

@Injectable()
class Orders {
  @DistributedLock({ lock: 'order', key: '{0}' })
  async pay(_id: string): Promise<void> {}

  @DistributedLock({ lock: 'order', key: '{0}' })
  watch(id: string): Observable<string> {
    return from([id]);
  }

  @DistributedLock({ lock: 'order', key: '{0}' })
  async *list(id: string): AsyncGenerator<string> {
    yield id;
  }
}

const app = (telemetry: NonNullable<BedrockLockModuleOptions['telemetry']>, options = {}) =>
  start({ imports: [locksOf(['order'], { ...options, telemetry })], providers: [Orders] });

describe('telemetry of an application', () => {
  let exporter: InMemorySpanExporter;
  let provider: TracerProvider;
  beforeEach(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    exporter = new InMemorySpanExporter();
    provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  });
  afterEach(async () => {
    await closeAll();
    await provider.shutdown();
    context.disable();
    trace.disable();
    metrics.disable();
  });

  const functions = () =>
    exporter.getFinishedSpans().map(({ attributes }) => attributes['code.function.name']);

  it('goes to the global providers of OpenTelemetry, and names the decorated method', async () => {
    const measured = new Measured();
    metrics.setGlobalMeterProvider({ getMeter: () => measured.meter });
    trace.setGlobalTracerProvider(provider);
    const module = await app(true);
    await module.get(Orders).pay('42');
    const told = await measured.read();
    expect(told.get('bedrock.lock.acquisitions')).toEqual(
      new Map([['order mutex exclusive memory granted', 1]]),
    );
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
      'bedrock.lock.wait',
      'bedrock.lock.hold',
    ]);
    expect(functions()).toEqual(['Orders.pay', 'Orders.pay']);
    await measured.close();
  });

  it('names a method that gives a stream or an iterator', async () => {
    const telemetry = openTelemetry({ meter: false, tracer: provider.getTracer('test') });
    const orders = (await app(telemetry)).get(Orders);
    await lastValueFrom(orders.watch('1'));
    for await (const one of orders.list('2')) expect(one).toBe('2');
    expect(new Set(functions())).toEqual(new Set(['Orders.watch', 'Orders.list']));
  });

  it('goes to a registry of prom-client, from every backend, and to several places at a time', async () => {
    const [one, other] = [new Registry(), new Registry()];
    const module = await start({
      imports: [
        locksOf(['order', { name: 'far', backend: 'eu' }], {
          backends: { default: () => memory(), eu: () => memory() },
          telemetry: [prometheus({ register: one }), prometheus({ register: other })],
        }),
      ],
      providers: [Orders],
    });
    await module.get(Orders).pay('42');
    for (const register of [one, other]) {
      const text = await register.metrics();
      expect(text).toMatch(/bedrock_lock_acquisitions_total\{bedrock_lock_name="order".*\} 1\n/);
      expect(text).toMatch(/bedrock_lock_held\{bedrock_lock_name="order".*\} 0\n/);
    }
    await module.close();
    expect(await one.metrics()).not.toMatch(/bedrock_lock_held\{/);
  });

  it('may be your own: started for each backend, asked to run each method, stopped at the end', async () => {
    const told: string[] = [];
    class Own implements Telemetry {
      start({ backend }: Parameters<Telemetry['start']>[0]): RunningTelemetry {
        told.push(`start ${backend.name}`);
        return {
          stop: () => told.push('stop'),
          inMethod(method, fn) {
            told.push(method);
            return fn();
          },
        };
      }
    }
    const module = await app([new Own(), new Own()]);
    await module.get(Orders).pay('1');
    await module.close();
    expect(told).toEqual(['start memory', 'start memory', 'Orders.pay', 'Orders.pay', 'stop', 'stop']);
  });

  it('stops each, though one fails at its end, and the application closes', async () => {
    const stops: string[] = [];
    const failing: Telemetry = {
      start: () => ({
        stop() {
          throw new Error('of an exporter');
        },
      }),
    };
    const own: Telemetry = { start: () => ({ stop: () => stops.push('stop') }) };
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    await (await app([failing, own])).close();
    expect(stops).toEqual(['stop']);
    expect(logged).toHaveBeenCalledWith('telemetry of locks failed at its end', expect.any(String));
    logged.mockRestore();
  });

  it('is stopped where the application does not start', async () => {
    const stops: string[] = [];
    const own: Telemetry = { start: () => ({ stop: () => stops.push('stop') }) };
    const error = await startError({
      imports: [locksOf([{ name: 'order', kind: 'semaphore', permits: 0 }], { telemetry: own })],
    });
    expect(error.field).toBe('permits');
    expect(stops).toEqual(['stop']);
  });

  it.each([
    ['a number', 1, 'telemetry'],
    ['an object without start()', {}, 'telemetry'],
    ['an array with nothing', [undefined], 'telemetry'],
    ['one that starts nothing', { start: async () => undefined }, 'telemetry'],
    ['no meter', openTelemetry({ meter: {} as never }), 'meter'],
    ['a wrong option of OpenTelemetry', openTelemetry({ maxNames: 0 }), 'maxNames'],
    ['no registry', prometheus({ register: {} as Registry }), 'register'],
  ])('refuses %s', async (_what, telemetry, field) => {
    const error = await startErrorOf(telemetry);
    expect([error.code, error.field]).toEqual(['INVALID_OPTION', field]);
  });

  async function startErrorOf(telemetry: unknown): Promise<Error & { code?: string; field?: string }> {
    try {
      return await startError({ imports: [locksOf(['order'], { telemetry } as object)] });
    } catch (error) {
      return error as Error;
    }
  }
});

describe('an application with nestjs-otel', () => {
  it('has the spans of locks below its own, in the same providers', async () => {
    const program = fileURLToPath(new URL('nestjs-otel-app.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 20_000 });
    expect(JSON.parse(stdout)).toEqual({
      spans: [
        ['bedrock.lock.wait', 'checkout'],
        ['bedrock.lock.hold', 'checkout'],
        ['checkout', ''],
      ],
      acquisitions: [1],
    });
  });
});

describe('an application without the packages of telemetry', () => {
  const run = async (telemetry: string): Promise<string> => {
    const program = `
      ${hidePackage('@opentelemetry/api', 'prom-client')}
      import 'reflect-metadata';
      const { NestFactory } = await import('@nestjs/core');
      const { BedrockLockModule } = await import('nestjs-bedrock');
      const { openTelemetry, prometheus } = await import('nestjs-bedrock/telemetry');
      const { memory } = await import('bedrock-lock/memory');
      const imports = BedrockLockModule.forRoot({ backend: () => memory(), locks: ['a'], telemetry: ${telemetry} });
      class App {}
      const dynamic = { module: App, imports: [imports] };
      try {
        const app = await NestFactory.createApplicationContext(dynamic, { logger: false, abortOnError: false });
        await app.close();
        console.log('started');
      } catch (error) {
        console.log(error.code, error.message);
      }
    `;
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
    return stdout.trim();
  };

  it.each([
    ['starts where none is asked for', 'false', 'started'],
    ['is told what OpenTelemetry needs', 'true', 'npm install @opentelemetry/api'],
    ['is told what a registry needs', 'prometheus({ register: {} })', 'npm install prom-client'],
  ])('%s', async (_what, telemetry, answer) => {
    expect(await run(telemetry)).toContain(answer);
  });
});
