import type { OnModuleDestroy } from '@nestjs/common';
import { NumberStore } from './number.store.js';
import { RedisConnection } from './redis.connection.js';

/** Data of a killed run expires after this time, in s. */
const LIFE_S = 3_600;

/** Numbers on a Redis server: GET, then SET, on a connection of its own, so that processes race. */
export class RedisNumberStore extends NumberStore implements OnModuleDestroy {
  readonly #redis: RedisConnection;
  readonly #prefix: string;

  /** @param prefix of the keys, so that two runs on one server never meet */
  constructor(url: string, prefix: string) {
    super();
    this.#redis = new RedisConnection(url);
    this.#prefix = prefix;
  }

  override async read(name: string): Promise<number> {
    return Number(await this.#redis.answer(this.#redis.client.get(this.#prefix + name)));
  }

  override async write(name: string, value: number): Promise<void> {
    await this.#redis.answer(this.#redis.client.set(this.#prefix + name, value, 'EX', LIFE_S));
  }

  override async remove(name: string): Promise<void> {
    await this.#redis.answer(this.#redis.client.del(this.#prefix + name));
  }

  /** Nest calls it when the application closes. */
  onModuleDestroy(): void {
    this.#redis.close();
  }
}
