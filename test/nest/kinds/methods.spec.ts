import { memory, MemoryStore } from 'bedrock-lock/memory';
import { lastValueFrom, toArray } from 'rxjs';
import request from 'supertest';
import { bedrockOf, closeAll, gate, locksOf, serve, start, until } from '../app.js';
import { crowd, EXCLUSIVE, ordersUnder, SHARED, type Taken } from './taken.js';

afterEach(closeAll);

async function application({ lock, use, rival }: Taken) {
  const { Orders, Handler } = ordersUnder(use);
  const metadata = { imports: [locksOf([lock])], providers: [Orders], controllers: [Handler] };
  const app = await serve(metadata);
  const bedrock = bedrockOf(app);
  return {
    app,
    orders: app.get(Orders),
    bedrock,
    rivalOn: (key: string) => rival(bedrock, key),
    stats: () => bedrock.bedrock().stats(),
  };
}

describe.each([...EXCLUSIVE, ...SHARED])('a method under $name', (taken) => {
  it('has its key from a template, a parameter or a function', async () => {
    const { orders } = await application(taken);
    expect(await orders.pay('a')).toBe('order:a');
    expect(await orders.byParameter('a')).toBe('order:a');
    expect(await orders.byFunction('a')).toBe('order:a:x');
  });

  it('waits for who stands in its way, and not for who holds another key', async () => {
    const { orders, rivalOn, stats } = await application(taken);
    const held = await rivalOn('a').acquire();
    const waiting = orders.pay('a');
    expect(await orders.pay('b')).toBe('order:b');
    await until(() => stats().waiters === 1);
    expect(orders.entered).toHaveLength(1);
    await held.release();
    expect(await waiting).toBe('order:a');
  });

  it('is skipped or answered by onBusy without waiting', async () => {
    const { orders, rivalOn } = await application(taken);
    await using _held = await rivalOn('a').acquire();
    expect(await orders.skipping('a')).toBeUndefined();
    expect(await orders.instead('a')).toBe('LOCK_BUSY of a from the object');
    expect(await orders.skipping('b')).toBe('done');
    expect(orders.entered).toEqual(['skipping']);
  });

  it('must not report success when its lease was lost; onLost answers', async () => {
    const { orders, rivalOn, bedrock } = await application(taken);
    const lose = async () => {
      const lost = gate();
      bedrock.bedrock().on('lease.lost', () => lost.open());
      await rivalOn('a').forceRelease();
      await lost.opened;
    };
    await expect(orders.pay('a', lose)).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(await orders.instead('a', lose)).toBe('LOCK_LOST');
  });

  it('may be an Observable or an async generator, held until their end', async () => {
    const { orders, stats } = await application(taken);
    expect(await lastValueFrom(orders.stream('a').pipe(toArray()))).toEqual(['order:a', true]);
    const seen: unknown[] = [];
    for await (const value of orders.steps('a')) seen.push(value, stats().holds);
    expect(seen).toEqual(['order:a', 1, true, 1]);
    expect(stats().holds).toBe(0);
  });

  it('answers 409 with Retry-After when it is a handler', async () => {
    const { app, rivalOn } = await application(taken);
    const answer = () => request(app.getHttpServer() as never).get('/pay');
    expect((await answer()).text).toBe('paid');
    await using _held = await rivalOn('a').acquire();
    const { status, headers } = await answer();
    expect(status).toBe(409);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe.each(EXCLUSIVE)('a method under $name', ({ lock, use }) => {
  it('runs alone, over processes', async () => {
    const { Orders } = ordersUnder(use);
    const store = new MemoryStore();
    const metadata = () => ({
      imports: [locksOf([lock], { backend: () => memory({ store }) })],
      providers: [Orders],
    });
    const [one, other] = [await start(metadata()), await start(metadata())];
    const { seen, body } = crowd();
    const calls = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? one : other).get(Orders).pay('a', body),
    );
    await Promise.all(calls);
    expect(seen.most).toBe(1);
  });
});
