import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';
import { startMariadb, startRedis, type RunningServer } from 'bedrock-servers';
import { eventually, liveness } from 'bedrock-testkit';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Subject } from 'rxjs';
import type { Order, OrderChange, OrderList } from '../../../apps/shop/src/common/contract.js';
import type { FeedFigures, FeedSnapshot } from '../../../apps/shop/src/page/feed-message.js';
import { PageModule } from '../../../apps/shop/src/page/page.module.js';
import { FeedListener } from './shop.page-listener.js';
import { endProcesses, expectNoneFallen, ShopProcess } from './shop.process.js';

const LINES = [{ goodsId: 'apple', quantity: 1 }];

/** The orders that the page is about, in the hands of the test. */
class Orders {
  readonly news = new Subject<OrderChange>();
  readonly all: Order[] = [];
  /** How often the page has asked. */
  reads = 0;
  /** What an answer waits for. */
  gate: Promise<void> = Promise.resolve();

  place(id: string): void {
    const operationId = `operation-${id}`;
    const order: Order = { id, customer: 'Ada', status: 'pending', operationId, lines: LINES, createdAt: id };
    this.all.unshift(order);
    this.news.next({ order });
  }

  async list(limit: number): Promise<OrderList> {
    this.reads += 1;
    const { length } = this.all;
    const found = {
      total: length,
      confirmed: 0,
      failed: 0,
      pending: length,
      orders: this.all.slice(0, limit),
    };
    await this.gate;
    return found;
  }
}

let servers: RunningServer[] = [];
let stock: ShopProcess;
let stockSettings: NodeJS.ProcessEnv;
let app: INestApplication;
let orders: Orders;
let url: string;

beforeAll(async () => {
  const mariadb = await startMariadb();
  servers = [mariadb];
  const redis = await startRedis();
  servers.push(redis);
  stockSettings = {
    DATABASE_URL: mariadb.url,
    REDIS_URL: redis.url,
    LOCKS_BACKEND: 'redis',
    LOCKS_URL: redis.url,
    STOCK: 'apple:100',
  };
  stock = await ShopProcess.open('stock', stockSettings);
}, 60_000);
beforeEach(async () => {
  orders = new Orders();
  const source = { news: orders.news, stockUrl: stock.url, orders: (limit: number) => orders.list(limit) };
  @Module({ imports: [PageModule.over({ useFactory: () => source })] })
  class App {}
  app = await NestFactory.create(App, { logger: false });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterEach(() => app?.close());
afterAll(async () => {
  await endProcesses();
  await Promise.all(servers.map((server) => server.stop()));
  expectNoneFallen();
});

async function deduct(operationId: string): Promise<void> {
  const answer = await fetch(`${stock.url}/operations/${operationId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lines: LINES }),
  });
  expect(answer.status).toBe(200);
}

const last = <T>(values: readonly unknown[]) => values.at(-1) as T;

describe('the feed of the page', () => {
  it('begins each connection with everything that there is', async () => {
    orders.place('1');
    orders.place('2');
    for (let visit = 0; visit < 2; visit++) {
      const listener = await FeedListener.open(url);
      await listener.hears('snapshot');
      expect(listener.events[0]!.type).toBe('snapshot');
      const { orders: shown, counts, stock: view } = last<FeedSnapshot>(listener.all('snapshot'));
      expect(shown.map(({ id }) => id)).toEqual(['2', '1']);
      expect(counts).toEqual({ total: 2, confirmed: 0, failed: 0, pending: 2 });
      expect(view).toMatchObject({
        isHere: true,
        balance: 'agrees',
        books: { stock: [{ goodsId: 'apple' }] },
      });
      await listener.leave();
    }
  });

  it('tells what happens while that is read afterwards, so that nothing old covers it', async () => {
    let open!: () => void;
    orders.gate = new Promise((resolve) => (open = resolve));
    const opening = FeedListener.open(url);
    await eventually('the orders are read', () => orders.reads > 0);
    orders.place('late');
    open();
    const listener = await opening;
    await listener.hears('order');
    expect(listener.events.slice(0, 2).map(({ type }) => type)).toEqual(['snapshot', 'order']);
    expect(last<FeedSnapshot>(listener.all('snapshot')).orders).toEqual([]);
    await listener.leave();
  });

  it('tells every order, and reads the figures at most every 250 ms, the last change included', async () => {
    const listener = await FeedListener.open(url);
    await listener.hears('figures');
    const before = orders.reads;
    const began = performance.now();
    for (let at = 1; at <= 200; at++) {
      orders.place(String(at));
      await sleep(4);
    }
    const readsMeanwhile = orders.reads - before;
    const tookMs = performance.now() - began;
    await listener.hears('order', 200);
    expect(readsMeanwhile).toBeGreaterThanOrEqual(2);
    expect(readsMeanwhile).toBeLessThanOrEqual(2 + tookMs / 250);
    await deduct('after-the-orders');
    orders.place('last');
    const sold = () => {
      const { counts, stock: view } = last<FeedFigures>(listener.all('figures'));
      return { total: counts.total, sold: view.isHere ? view.books.stock[0]!.sold : undefined };
    };
    await eventually('the last order is counted', () => sold().total >= 201, { withinMs: 1_500 });
    expect(sold()).toEqual({ total: 201, sold: 1 });
    await listener.leave();
  });

  it('reads nothing for visitors who have gone, and nothing before one comes', async () => {
    orders.place('unseen');
    await sleep(50);
    expect(orders.reads).toBe(0);
    const listeners = await Promise.all(Array.from({ length: 20 }, () => FeedListener.open(url)));
    await Promise.all(listeners.map((listener) => listener.hears('figures')));
    await Promise.all(listeners.map((listener) => listener.leave()));
    const connections = () =>
      new Promise<number>((resolve) => {
        (app.getHttpServer() as Server).getConnections((_error, count) => resolve(count));
      });
    await eventually('no connection is left', async () => (await connections()) === 0);
    // A read that was due when the last one went.
    await sleep(600);
    const before = orders.reads;
    for (let at = 0; at < 20; at++) orders.place(`unheard-${at}`);
    await sleep(600);
    expect(orders.reads).toBe(before);
  });

  it('says something at least every 6 s, so that silence means a dead connection', async () => {
    const listener = await FeedListener.open(url);
    await listener.hears('beat', 1, 6_000);
    await listener.leave();
  });

  it('ends when the application closes, which it does not keep', async () => {
    const listeners = await Promise.all([FeedListener.open(url), FeedListener.open(url)]);
    await Promise.all(listeners.map((listener) => listener.hears('snapshot')));
    await liveness.within('the end of the application and its feeds', 3_000, async () => {
      await app.close();
      await Promise.all(listeners.map(({ ended }) => ended));
    });
  });

  it('says that the stock service is away, and by itself that it is back', async () => {
    const listener = await FeedListener.open(url);
    await listener.hears('figures');
    const { port } = stock;
    await stock.kill();
    orders.place('unanswered');
    const isHere = () => last<FeedFigures>(listener.all('figures')).stock.isHere;
    await eventually('the stock service is away', () => !isHere());
    stock = await ShopProcess.open('stock', { ...stockSettings, PORT: String(port) });
    await eventually('the stock service is back', isHere, { withinMs: 2_500 });
    expect(last<FeedFigures>(listener.all('figures')).stock).toMatchObject({ balance: 'agrees' });
    await listener.leave();
  });

  it('ends the connection without a snapshot when the orders cannot be read, so that the page tries again', async () => {
    orders.gate = Promise.reject(new Error('the database is away'));
    orders.gate.catch(() => undefined);
    const listener = await FeedListener.open(url);
    await listener.ended;
    expect(listener.events).toEqual([]);
  });
});
