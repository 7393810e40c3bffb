import { Bedrock, type Lease, type Mutex } from 'bedrock-lock';
import { redis as redisBackend } from 'bedrock-lock/redis';
import { eventually } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sale } from '../../../apps/ecosphere/src/shop-front/sale.js';
import type { Shop } from './ecosphere.http-shop.js';

const BOOK = 'ecosphere:{flash-sale}:';
/** Crowds of a thousand buyers share the machine with the test. */
export const WITHIN_MS = 20_000;

/** The auditor: reads the book without asking the shops, and has a hand on the lock of the counter. */
export class Ledger {
  readonly redis: Redis;
  readonly #bedrock: Bedrock;
  readonly #lock: Mutex;

  constructor(url: string) {
    this.redis = new Redis(url);
    this.redis.on('error', () => undefined);
    // Patient: it shares the machine with the load that it looks at.
    const backend = redisBackend({ url, label: 'auditor', operationTimeoutMs: 5_000 });
    this.#bedrock = new Bedrock({ backend, prefix: 'ecosphere:' });
    this.#lock = this.#bedrock.mutex('flash-sale', { waitMs: WITHIN_MS });
  }

  /** Keeps the counter shut until the lease is released, so that buyers can gather. */
  shut(): Promise<Lease> {
    return this.#lock.acquire();
  }

  /** All rows, in the order in which they were written. */
  async rows(): Promise<Sale[]> {
    const rows = await this.redis.lrange(`${BOOK}sales`, 0, -1);
    return rows.map((row) => JSON.parse(row) as Sale).map((row) => ({ ...row, token: Number(row.token) }));
  }

  async left(): Promise<number> {
    return Number(await this.redis.get(`${BOOK}left`));
  }

  /** Keys that are not part of the book, nor kept for ever by design. */
  async leftovers(): Promise<string[]> {
    const keys = await this.redis.keys('*');
    return keys.filter((key) => !key.startsWith(BOOK) && key !== 'bedrock_token');
  }

  /**
   * Stops a shop in the middle of a purchase: it has looked at the stock, and has not sold yet.
   * @returns the token of that turn
   */
  async stopInTurn(shop: Shop): Promise<number> {
    let token: number | undefined;
    await eventually(
      'the shop is at the counter',
      async () => {
        shop.signal('SIGSTOP');
        token = await this.#openTurnOf(shop.pid);
        if (token === undefined) {
          shop.signal('SIGCONT');
          // The shop gets on with its work before it is stopped for the next look.
          await sleep(10);
        }
        return token !== undefined;
      },
      { withinMs: WITHIN_MS },
    );
    return token!;
  }

  async #openTurnOf(pid: number): Promise<number | undefined> {
    // What it had sent before it was stopped is in the server's sockets, and is executed before the third of these.
    for (let trips = 0; trips < 3; trips++) await this.redis.ping();
    const [holder] = await this.#lock.inspect();
    if (holder?.process?.pid !== pid) return undefined;
    const looked = Number(await this.redis.get(`${BOOK}token`));
    const last = await this.redis.lindex(`${BOOK}sales`, -1);
    const sold = last === null ? 0 : Number((JSON.parse(last) as { token: string }).token);
    return looked > sold ? looked : undefined;
  }

  async close(): Promise<void> {
    await this.#bedrock.close({ graceMs: 0 });
    this.redis.disconnect();
  }
}
