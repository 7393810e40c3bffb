import { Controller, Get, Res, Sse, StreamableFile, type MessageEvent } from '@nestjs/common';
import type { Mutex } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { currentLease, DistributedLock, InjectLock } from 'nestjs-bedrock';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { defer, from, map, mergeMap, NEVER, Observable, timer } from 'rxjs';
import { bedrockOf, locksOf, until } from '../app.js';
import { ADAPTERS, closeServers, listen } from './server.js';

afterEach(closeServers);

interface Answering {
  json?(body: unknown): void;
  send(body: unknown): void;
}

/** What only a flow allows: lock() and unlock() without arguments. */
@Controller()
class Shapes {
  static codeOfValue: unknown;

  constructor(@InjectLock('stock') private readonly stock: Mutex) {}

  async #depths(): Promise<number[]> {
    await this.stock.lock();
    await this.stock.lock();
    const deepest = this.stock.depth;
    await this.stock.unlock();
    const depths = [deepest, this.stock.depth];
    await this.stock.unlock();
    return [...depths, this.stock.depth];
  }

  @Get('value')
  value() {
    this.stock.lock().catch((error: { code: string }) => (Shapes.codeOfValue = error.code));
    return [2, 1, 0];
  }

  @Get('promise')
  async promise() {
    return this.#depths();
  }

  @Get('observable')
  observable(): Observable<unknown> {
    return defer(() => this.#depths());
  }

  @Get('late-observable')
  lateObservable(): Observable<unknown> {
    return timer(1).pipe(mergeMap(() => this.#depths()));
  }

  @Get('promised-observable')
  async promisedObservable(): Promise<Observable<unknown>> {
    return defer(() => this.#depths());
  }

  @Get('stream')
  async stream() {
    return new StreamableFile(Readable.from([JSON.stringify(await this.#depths())]));
  }

  @Get('by-hand')
  async byHand(@Res() response: Answering) {
    response.send(await this.#depths());
  }

  @Get('generator')
  async *generator() {
    yield await this.#depths();
    await this.stock.lock();
    yield [this.stock.depth];
    yield [this.stock.depth];
    await this.stock.unlock();
  }

  @Get('locked-generator')
  @DistributedLock('stock')
  async *lockedGenerator() {
    yield currentLease()?.resource;
    yield await this.#depths();
  }

  @Sse('events')
  events(): Observable<MessageEvent> {
    return from([1, 2]).pipe(
      mergeMap(() => this.#depths(), 1),
      map((data) => ({ data })),
    );
  }

  @Sse('promised-events')
  async promisedEvents(): Promise<Observable<MessageEvent>> {
    await this.#depths();
    return this.events();
  }

  @Get('left/value')
  async leftByValue() {
    await this.stock.lock();
    await this.stock.lock();
    return [];
  }

  @Get('left/error')
  async leftByError() {
    await this.stock.lock();
    throw new RangeError('of the handler');
  }

  @Get('left/observable')
  leftByObservable(): Observable<unknown> {
    return defer(() => this.stock.lock()).pipe(map(() => []));
  }

  @Get('left/failed-observable')
  leftByFailedObservable(): Observable<unknown> {
    return defer(async () => {
      await this.stock.lock();
      throw new RangeError('of the handler');
    });
  }

  @Get('left/generator')
  async *leftByGenerator() {
    await this.stock.lock();
    yield [];
  }

  @Get('left/unsubscribed')
  leftByUnsubscription(): Observable<unknown> {
    return defer(() => this.stock.lock()).pipe(mergeMap(() => NEVER));
  }

  @Sse('left/events')
  leftByEvents(): Observable<MessageEvent> {
    return defer(() => this.stock.lock()).pipe(mergeMap(() => NEVER));
  }

  @Get('left/generator-stopped')
  async *leftByStoppedGenerator() {
    await this.stock.lock();
    for (;;) yield 'x'.repeat(65_536);
  }
}

describe.each(ADAPTERS)('on %s a handler has a flow', (_name, adapter) => {
  const shapes = () =>
    listen({ imports: [locksOf(['stock'])], controllers: [Shapes] }, { adapter: adapter() });
  const DEPTHS = '[2,1,0]';

  it.each([
    ['value', DEPTHS],
    ['promise', DEPTHS],
    ['observable', DEPTHS],
    ['late-observable', DEPTHS],
    ['promised-observable', DEPTHS],
    ['stream', DEPTHS],
    ['by-hand', DEPTHS],
    ['generator', `${DEPTHS}\n[1]\n[1]\n`],
    ['locked-generator', `stock[3,2,1]\n`],
    ['events', `id: 1\ndata: ${DEPTHS}\n\nid: 2\ndata: ${DEPTHS}\n\n`],
    ['promised-events', `id: 1\ndata: ${DEPTHS}\n\nid: 2\ndata: ${DEPTHS}\n\n`],
  ])('that gives a %s', async (path, body) => {
    const { app, url, log } = await shapes();
    const leaks: unknown[] = [];
    bedrockOf(app)
      .bedrock()
      .on('flow.leaked', (leak) => leaks.push(leak));
    const response = await fetch(`${url}/${path}`);
    expect((await response.text()).trimStart()).toBe(body);
    expect([response.status, log.complaints, leaks]).toEqual([200, [], []]);
    expect(bedrockOf(app).bedrock().stats()).toMatchObject({ holds: 0, waiters: 0 });
  });

  it('also for a plain value, whose flow ends with it', async () => {
    const { url } = await shapes();
    await fetch(`${url}/value`);
    await until(() => Shapes.codeOfValue !== undefined);
    expect(Shapes.codeOfValue).toBe('LOCK_ABORTED');
  });

  it.each(['value', 'error', 'observable', 'failed-observable', 'generator'])(
    'that gives its answer when what it left locked (%s) is free, however long that takes',
    async (path) => {
      const slow = new FaultyBackend(memory());
      slow.plan('withdraw', { kind: 'delay', requestMs: 100 }, Infinity);
      const imports = [locksOf(['stock'], { backend: slow })];
      const { app, url } = await listen({ imports, controllers: [Shapes] }, { adapter: adapter() });
      await (await fetch(`${url}/left/${path}`)).text();
      expect(await bedrockOf(app).lock('stock').inspect()).toEqual([]);
    },
  );

  it.each([
    ['value', 2],
    ['error', 1],
    ['observable', 1],
    ['failed-observable', 1],
    ['generator', 1],
  ])('that releases what it leaves locked (%s), and tells', async (path, depth) => {
    const { app, url } = await shapes();
    const leaks: unknown[] = [];
    bedrockOf(app)
      .bedrock()
      .on('flow.leaked', (leak) => leaks.push(leak));
    const response = await fetch(`${url}/left/${path}`);
    await response.text();
    expect(leaks).toMatchObject([{ resource: 'stock', depth }]);
    expect(await bedrockOf(app).lock('stock').inspect()).toEqual([]);
  });

  it.each(['unsubscribed', 'events', 'generator-stopped'])(
    'that releases what it leaves locked when its client goes away (%s)',
    async (path) => {
      const { app, port } = await shapes();
      const bedrock = bedrockOf(app);
      const call = request({ host: '127.0.0.1', port, path: `/left/${path}` }).end();
      call.on('error', () => undefined);
      await until(() => bedrock.bedrock().stats().holds === 1);
      call.destroy();
      await until(() => bedrock.bedrock().stats().holds === 0);
      expect(await bedrock.lock('stock').inspect()).toEqual([]);
    },
  );
});
