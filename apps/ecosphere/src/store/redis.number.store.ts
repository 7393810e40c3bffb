import type { OnModuleDestroy } from '@nestjs/common';
import { Redis } from 'ioredis';
import { reasonOf } from '../report/reason-of.js';
import { ServerError } from '../server/server.error.js';
import { NumberStore } from './number.store.js';

/** What a run that was killed leaves behind is gone after this long. */
const LIFE_S = 3_600;

/** Numbers on a Redis server: GET, then SET, on a connection of its own, so that processes race. */
export class RedisNumberStore extends NumberStore implements OnModuleDestroy {
  readonly #client: Redis;
  readonly #prefix: string;
  #trouble: unknown;

  /** @param prefix of the keys, so that two runs on one server never meet */
  constructor(url: string, prefix: string) {
    super();
    this.#client = new Redis(url, { maxRetriesPerRequest: 1 });
    // Without a listener ioredis would print each failed connection.
    this.#client.on('error', (error) => (this.#trouble = error));
    this.#prefix = prefix;
  }

  override async read(name: string): Promise<number> {
    return Number(await this.#answer(this.#client.get(this.#prefix + name)));
  }

  override async write(name: string, value: number): Promise<void> {
    await this.#answer(this.#client.set(this.#prefix + name, value, 'EX', LIFE_S));
  }

  override async remove(name: string): Promise<void> {
    await this.#answer(this.#client.del(this.#prefix + name));
  }

  /** The client only says that it has given up; why is in the event before. */
  async #answer<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      const cause = this.#trouble ?? error;
      throw new ServerError(`Redis does not answer any more: ${reasonOf(cause)}`, { cause });
    }
  }

  /** Nest calls it when the application closes. */
  onModuleDestroy(): void {
    this.#client.disconnect();
  }
}
