import type { Backend } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { OPERATION_TIMEOUT_MS } from '../../../contract/times.js';

/** A server of its own, an observer that looks at it, and backends that are closed after each test. */
export class RedisFixture {
  server!: RunningServer;
  observer!: Redis;
  readonly #backends: Backend[] = [];

  async start(...args: Parameters<typeof startRedis>): Promise<void> {
    this.server = await startRedis(...args);
    this.observer = new Redis(this.server.port, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    this.observer.on('error', () => undefined);
  }

  async stop(): Promise<void> {
    this.observer.disconnect();
    await this.server.stop();
  }

  /** A backend that serves. */
  async backend(options: RedisOptions = {}): Promise<Backend> {
    const backend = this.unready(options);
    await backend.ready();
    return backend;
  }

  unready(options: RedisOptions = {}): Backend {
    const where = options.client || options.url || options.connection ? {} : { url: this.server.url };
    const backend = redis({ operationTimeoutMs: OPERATION_TIMEOUT_MS, ...where, ...options });
    this.#backends.push(backend);
    return backend;
  }

  async clean(): Promise<void> {
    await Promise.all(this.#backends.splice(0).map((backend) => backend.close()));
    await this.observer.flushall();
  }
}
