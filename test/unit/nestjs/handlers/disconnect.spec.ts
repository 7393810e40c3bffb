import { jest } from '@jest/globals';
import { HttpException, type CallHandler, type NestInterceptor } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { connect } from 'node:net';
import { tap, timeout, type Observable } from 'rxjs';
import { until } from '../app.js';
import { ADAPTERS, closeServers } from './server.js';
import { leave, shop, watching } from './shop.js';

afterEach(closeServers);

class Impatient implements NestInterceptor {
  intercept(_context: unknown, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(timeout(50));
  }
}

class Witness implements NestInterceptor {
  static errors: unknown[] = [];

  intercept(_context: unknown, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(tap({ error: (error) => Witness.errors.push(error) }));
  }
}

/** Around the interceptor of the module, which comes after those of the root module. */
const outside = (useClass: new () => NestInterceptor) => [{ provide: APP_INTERCEPTOR, useClass }];
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(ADAPTERS)('on %s, when the client goes away', (_name, makeAdapter) => {
  it.each(['promise', 'observable', 'awaited-observable', 'generator', 'itself'])(
    'its wait ends (%s), and nothing stays behind',
    async (path) => {
      const { rival, orders, stats, call, log } = await shop({ adapter: makeAdapter() });
      const held = await rival.lock('order').acquire();
      const gone = call(path);
      await until(() => stats().waiters === 1);
      gone.destroy();
      await until(() => stats().waiters === 0);
      expect(await rival.lock('order').inspect()).toHaveLength(1);
      await held.release();
      await using next = await rival.lock('order').acquire({ waitMs: 0 });
      expect(next.isHeld).toBe(true);
      await until(() => stats().resources === 0);
      expect([stats().pendingWithdrawals, orders.runs, log.complaints]).toEqual([0, 0, []]);
    },
  );

  it('its wait ends under fake timers too', async () => {
    const { rival, stats, call } = await shop({ adapter: makeAdapter() });
    await using _held = await rival.lock('order').acquire();
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] });
    try {
      const gone = call('promise');
      await until(() => stats().waiters === 1);
      gone.destroy();
      await until(() => stats().waiters === 0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('no error is logged, and what the application sees of it is an HttpException', async () => {
    Witness.errors = [];
    const providers = outside(Witness);
    const { rival, stats, call, log } = await shop({ adapter: makeAdapter(), providers });
    await using _held = await rival.lock('order').acquire();
    const gone = call('promise');
    await until(() => stats().waiters === 1);
    gone.destroy();
    await until(() => Witness.errors.length === 1);
    await turn();
    const [error] = Witness.errors as HttpException[];
    expect(error).toBeInstanceOf(HttpException);
    expect([error?.getStatus(), log.complaints]).toEqual([499, []]);
    const cause = { message: 'the client has disconnected' };
    expect(error?.cause).toMatchObject({ code: 'LOCK_ABORTED', resource: 'order', cause });
  });

  it('the next in the queue of its process is served', async () => {
    const { rival, orders, stats, call } = await shop({ adapter: makeAdapter() });
    const held = await rival.lock('order').acquire();
    const gone = call('promise');
    await until(() => stats().waiters === 1);
    const staying = call('promise');
    await until(() => stats().waiters === 2);
    gone.destroy();
    await until(() => stats().waiters === 1);
    await held.release();
    await new Promise((resolve) => staying.on('response', resolve));
    expect(orders.runs).toBe(1);
  });

  it('a method that waits for its second lock gives the first one back', async () => {
    const { rival, orders, stats, call } = await shop({ adapter: makeAdapter() });
    await using _held = await rival.lock('order').acquire();
    const gone = call('several');
    await until(() => stats().waiters === 1 && stats().holds === 1);
    gone.destroy();
    await until(() => stats().holds === 0);
    expect([stats().waiters, orders.runs]).toEqual([0, 0]);
    expect(await rival.lock('account').inspect()).toEqual([]);
  });

  it('a lock that is asked for afterwards is not waited for either', async () => {
    const served = await shop({ adapter: makeAdapter() });
    const { rival, orders, stats, call } = served;
    await using _held = await rival.lock('order').acquire();
    const gone = call('later');
    await until(() => orders.calls === 1);
    await leave(served, gone);
    orders.begun.open();
    await until(() => orders.failure !== undefined || stats().waiters === 1);
    await until(() => stats().waiters === 0);
    expect(orders.failure).toMatchObject({ code: 'LOCK_ABORTED', resource: 'order' });
    expect(orders.runs).toBe(0);
  });

  it('a method that holds its lock goes on, and so does its lease', async () => {
    const served = await shop({ adapter: makeAdapter() });
    const { orders, stats, call } = served;
    const gone = call('hold');
    await orders.begun.opened;
    await leave(served, gone);
    await turn();
    orders.work.open();
    await until(() => stats().holds === 0);
    expect([orders.runs, orders.wasAborted]).toEqual([1, false]);
  });

  it('a wait under a lock that is held goes on: the work has begun', async () => {
    const served = await shop({ adapter: makeAdapter() });
    const { rival, orders, stats, call } = served;
    const held = await rival.lock('order').acquire();
    const gone = call('under-lock');
    await until(() => stats().waiters === 1);
    await watching(makeAdapter());
    await leave(served, gone);
    await turn();
    expect(stats()).toMatchObject({ waiters: 1, holds: 1 });
    await held.release();
    await until(() => orders.runs === 1 && stats().holds === 0);
  });

  it('its wait goes on where that was asked for', async () => {
    const served = await shop({ adapter: makeAdapter(), interceptor: { abortOnDisconnect: false } });
    const { rival, orders, stats, call } = served;
    const held = await rival.lock('order').acquire();
    const gone = call('promise');
    await until(() => stats().waiters === 1);
    await watching(makeAdapter());
    await leave(served, gone);
    await turn();
    expect(stats().waiters).toBe(1);
    await held.release();
    await until(() => orders.runs === 1);
  });

  it.each(['background', 'background-later', 'answer-first'])(
    'what goes on after its answer is not disturbed (%s)',
    async (path) => {
      const served = await shop({ adapter: makeAdapter() });
      const { port, rival, orders, stats } = served;
      const held = await rival.lock('order').acquire();
      const gone = connect(port, '127.0.0.1');
      gone.write(`GET /${path} HTTP/1.1\r\nHost: shop\r\n\r\n`);
      await new Promise((resolve) => gone.once('data', resolve));
      if (path !== 'background-later') await until(() => stats().waiters === 1);
      await watching(makeAdapter());
      await leave(served, gone);
      await turn();
      orders.begun.open();
      await until(() => stats().waiters === 1);
      await turn();
      expect(stats().waiters).toBe(1);
      await held.release();
      await until(() => orders.runs === 1);
    },
  );

  it('the wait of a handler ends too when a timeout() has taken the place of its result', async () => {
    const { url, rival, orders, stats, log } = await shop({
      adapter: makeAdapter(),
      providers: outside(Impatient),
    });
    await using _held = await rival.lock('order').acquire();
    const answer = await fetch(`${url}/promise`);
    await until(() => stats().waiters === 0);
    expect([answer.status, orders.runs]).toEqual([500, 0]);
    expect(log.complaints).toEqual([expect.objectContaining({ name: 'TimeoutError' })]);
  });
});

describe.each(ADAPTERS)('on %s, of a connection', (_name, makeAdapter) => {
  it('all requests end together, and share one listener until then', async () => {
    const served = await shop({ adapter: makeAdapter() });
    const { port, rival, orders, stats, sockets, log } = served;
    await using _held = await rival.lock('order').acquire();
    const gone = connect(port, '127.0.0.1');
    const ask = () => gone.write('GET /promise HTTP/1.1\r\nHost: shop\r\n\r\n');
    ask();
    await until(() => stats().waiters === 1);
    await watching(makeAdapter());
    const [socket] = sockets;
    const listeners = socket!.listenerCount('close');
    for (let i = 0; i < 19; i += 1) ask();
    await until(() => stats().waiters === 20);
    await watching(makeAdapter());
    expect(socket!.listenerCount('close')).toBe(listeners);
    gone.destroy();
    await until(() => stats().waiters === 0);
    await turn();
    expect([orders.runs, log.complaints]).toEqual([0, []]);
  });

  it('nothing is listened to where nothing waits, and no longer than something does', async () => {
    const { port, rival, orders, stats, sockets } = await shop({ adapter: makeAdapter() });
    const client = connect(port, '127.0.0.1');
    const listeners = () => sockets[0]!.listenerCount('close');
    const ask = async (path: string) => {
      client.write(`GET /${path} HTTP/1.1\r\nHost: shop\r\n\r\n`);
      await new Promise((resolve) => client.once('data', resolve));
    };
    const holding = ask('hold');
    await orders.begun.opened;
    await watching(makeAdapter());
    // Those of Node.
    const atWork = listeners();
    orders.work.open();
    await holding;
    const idle = listeners();
    const held = await rival.lock('order').acquire();
    const waiting = ask('promise');
    await until(() => stats().waiters === 1);
    await watching(makeAdapter());
    expect(listeners()).toBe(atWork + 1);
    await held.release();
    await waiting;
    expect([listeners(), orders.runs]).toEqual([idle, 2]);
    client.destroy();
  });
});
