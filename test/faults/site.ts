import type { RedisOptions } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { Contest } from './contest.js';

export { BOUNDS, OPERATION_MS, delay } from './contest.js';

/** A Redis of its own, and the contenders on it. */
export class Site extends Contest {
  readonly #admin: Redis;

  private constructor(
    readonly server: RunningServer,
    options: RedisOptions,
  ) {
    super({ ...options, url: server.url });
    this.#admin = new Redis(server.url, { maxRetriesPerRequest: null });
    this.#admin.on('error', () => undefined);
  }

  static async open(options: Omit<RedisOptions, 'url'> = {}): Promise<Site> {
    return new Site(await startRedis(), options);
  }

  /** Any command, from a connection that no fault is aimed at. */
  async command(name: string, ...args: string[]): Promise<unknown> {
    return this.#admin.call(name, args);
  }

  /** True if a process is subscribed to the lock. */
  async isHeard(): Promise<boolean> {
    return ((await this.command('PUBSUB', 'CHANNELS', `*${this.resource}*`)) as string[]).length > 0;
  }

  /** Keys about the resource; the documented permanent ones are not among them. */
  async leftovers(): Promise<string[]> {
    return this.#admin.keys(`*${this.resource}*`);
  }

  override async close(): Promise<void> {
    this.server.resume();
    await super.close();
    this.#admin.disconnect();
    await this.server.stop();
  }
}
