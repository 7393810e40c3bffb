import type { Redis } from 'ioredis';
import { RedisConnection } from '../store/redis.connection.js';
import { COMMAND_MS } from './bounds.js';
import type { PurchaseOrder } from './purchase.order.js';
import type { Balance, Sale } from './sale.js';
import { KEYS, LOOK, SELL } from './sale.scripts.js';

/** What the holder of a token sees. `stale`: a newer token was here, so this holder must stop. */
export type Look =
  | { readonly kind: 'stale' }
  | { readonly kind: 'open'; readonly left: number }
  | { readonly kind: 'sold'; readonly sale: Sale };

/** Outcome of an order. */
export type Entry =
  | { readonly kind: 'stale' }
  | { readonly kind: 'soldOut' }
  | { readonly kind: 'sold' | 'repeated'; readonly sale: Sale };

/** The basis of a sale: the token of the lease, and the stock seen under it. */
export interface Turn {
  readonly token: number;
  readonly seen: number;
}

/** One hash tag: on a cluster, the keys of a script must be on one node. */
const keyOf = (name: string): string => `ecosphere:{flash-sale}:${name}`;

/** The commands as ioredis defines them; it knows the number of keys. */
interface Scripts {
  look(...keysAndArguments: (string | number)[]): Promise<[kind: string, value?: string | number]>;
  sell(...keysAndArguments: (string | number)[]): Promise<[kind: string, sale?: string]>;
}

/** The sale on Redis: stock and rows, which change in one atomic step that refuses older tokens. */
export class SaleRepository {
  readonly #redis: RedisConnection;
  readonly #scripts: Redis & Scripts;
  readonly #keys = KEYS.map(keyOf);

  constructor(url: string) {
    this.#redis = new RedisConnection(url, COMMAND_MS);
    const { client } = this.#redis;
    client.defineCommand('look', { numberOfKeys: KEYS.length, lua: LOOK });
    client.defineCommand('sell', { numberOfKeys: KEYS.length, lua: SELL });
    this.#scripts = client as Redis & Scripts;
  }

  /**
   * Begins a sale of this many items, unless one is running: that continues.
   * @throws ServerError, as all of its methods do
   */
  async open(stock: number): Promise<void> {
    await this.#redis.answer(this.#redis.client.msetnx(keyOf('stock'), stock, keyOf('left'), stock));
  }

  async look(token: number, { requestId }: PurchaseOrder): Promise<Look> {
    const [kind, value] = await this.#redis.answer(this.#scripts.look(...this.#keys, token, requestId));
    if (kind === 'sold') return { kind, sale: saleOf(value as string) };
    return kind === 'open' ? { kind, left: Number(value) } : { kind: 'stale' };
  }

  /** Takes an item from the stock and writes its row. May be repeated: an order is sold once. */
  async sell({ token, seen }: Turn, { requestId, buyer }: PurchaseOrder): Promise<Entry> {
    const [kind, row] = await this.#redis.answer(
      this.#scripts.sell(...this.#keys, token, requestId, buyer, seen, process.pid),
    );
    if (kind === 'sold' || kind === 'repeated') return { kind, sale: saleOf(row!) };
    return { kind: kind === 'soldOut' ? kind : 'stale' };
  }

  /** Reads all in one step: other sales could happen between two. */
  async balance(): Promise<Balance> {
    const { client } = this.#redis;
    const reading = client.multi().mget(keyOf('stock'), keyOf('left'), keyOf('refused')).llen(keyOf('sales'));
    const replies = await this.#redis.answer(reading.exec());
    const [stock = 0, left = 0, refused = 0, sold = 0] = (replies ?? [])
      .flatMap(([, reply]) => reply)
      .map(Number);
    return { stock, sold, left, refused };
  }

  close(): void {
    this.#redis.close();
  }
}

function saleOf(row: string): Sale {
  const { number, requestId, buyer, token, seen, left, soldBy } = JSON.parse(row) as Sale;
  return { number, requestId, buyer, token: Number(token), seen, left, soldBy };
}
