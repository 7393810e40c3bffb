import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { Bedrock, type Lease } from 'bedrock-lock';
import { zookeeper } from 'bedrock-lock/zookeeper';
import { eventually } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import type { Operation, Order, OrderLine, OrderRequest } from '../../../apps/shop/src/common/contract.js';
import { LedgerReader } from './shop.ledger.js';
import { endProcesses, expectNoneFallen } from './shop.process.js';
import { ShopSite, startServers, stopServers, type ShopServers, type SiteOptions } from './shop.site.js';

/** How much of its goods every test has. */
export const START = 10;
const GOODS = Array.from({ length: 20 }, (_, at) => `goods-${at + 1}`);
const STOCK = GOODS.map((goods) => `${goods}:${START}`).join(',');
/** Orders are looked back on for some seconds before they are settled. */
export const WITHIN_MS = 10_000;

type Options = Omit<SiteOptions, 'stock'>;

/** An answer of the stock service about an operation. */
interface OperationAnswer {
  readonly status: number;
  readonly body: Operation & { readonly code?: string };
}

/** Servers and a shop for the tests of a file; called once, at its top. Every test calls `begin()` first. */
export function shopFixture(options: Options): ShopFixture {
  const fixture = new ShopFixture();
  beforeAll(() => fixture.open(options), 60_000);
  afterEach(() => fixture.afterTest());
  afterAll(() => fixture.close());
  return fixture;
}

/** A shop that the tests of a file share, with goods that each has of its own. */
class ShopFixture {
  servers!: ShopServers;
  /** Of the test. */
  site!: ShopSite;
  goodsId = '';
  #shared!: ShopSite;
  #used = 0;
  readonly #ends: (() => Promise<unknown>)[] = [];

  /** What the first lines of a test get: an order of two, in the shop of all unless there are options. */
  async begin(options?: Options): Promise<OrderRequest> {
    this.site =
      options === undefined ? this.#shared : await ShopSite.open(this.servers, { stock: STOCK, ...options });
    this.goodsId = this.moreGoods();
    return { customer: 'Ada', lines: this.linesOf(2) };
  }

  /** Goods that no other test has. */
  moreGoods(): string {
    return GOODS[this.#used++]!;
  }

  linesOf(quantity: number): readonly OrderLine[] {
    return [{ goodsId: this.goodsId, quantity }];
  }

  /** The records of the test's goods. */
  async written(): Promise<{ left: number | undefined; flows: number }> {
    const reader = await LedgerReader.open(this.servers.mariadb.url, this.site.databases);
    const { goods, flows } = await reader.read();
    await reader.close();
    return {
      left: goods.find(({ id }) => id === this.goodsId)?.amount,
      flows: flows.filter(({ goodsId }) => goodsId === this.goodsId).length,
    };
  }

  /** Takes the lock on the goods of the test, as the stock service does. */
  async holdGoods(): Promise<Lease> {
    const bedrock = new Bedrock({ backend: zookeeper(this.servers.zookeeper.url), prefix: 'shop:' });
    this.onEnd(() => bedrock.close({ graceMs: 0 }));
    return bedrock.mutex('goods', { leaseMs: 4_000 }).for(this.goodsId).acquire();
  }

  /** As a Redis that has lost its data. */
  async emptyRedis(): Promise<void> {
    const client = new Redis(this.servers.redis.url);
    await client.flushall();
    client.disconnect();
  }

  async operation(
    method: 'GET' | 'PUT' | 'DELETE',
    id: string,
    lines = this.linesOf(2),
  ): Promise<OperationAnswer> {
    const response = await fetch(`${this.site.stock.url}/operations/${id}`, {
      method,
      ...(method === 'PUT' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ lines }),
      }),
    });
    return { status: response.status, body: (await response.json()) as OperationAnswer['body'] };
  }

  async find(orderId: string): Promise<Order> {
    return (await (await fetch(`${this.site.orders.url}/orders/${orderId}`)).json()) as Order;
  }

  /** The order, once it is settled. */
  async settled(orderId: string): Promise<Order> {
    await eventually('the order is settled', async () => (await this.find(orderId)).status !== 'pending', {
      withinMs: WITHIN_MS,
    });
    return this.find(orderId);
  }

  /** Is called after the test, however it went; the last one first. */
  onEnd(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  async open(options: Options): Promise<void> {
    this.servers = await startServers();
    this.#shared = await ShopSite.open(this.servers, { stock: STOCK, ...options });
  }

  async afterTest(): Promise<void> {
    this.servers?.redis.resume();
    for (const end of this.#ends.splice(0).reverse()) await end();
    if (this.site !== undefined && this.site !== this.#shared) await this.site.close();
    expectNoneFallen();
  }

  async close(): Promise<void> {
    await endProcesses();
    await this.#shared?.close();
    await stopServers(this.servers);
  }
}
