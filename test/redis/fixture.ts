import { MUTEX, type Backend, type Claim, type Verdict } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';

let claims = 0;

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
    const backend = redis({ ...where, ...options });
    this.#backends.push(backend);
    return backend;
  }

  async clean(): Promise<void> {
    await Promise.all(this.#backends.splice(0).map((backend) => backend.close()));
    await this.observer.flushall();
  }
}

export function claimOf(backend: Backend, resource: string, terms: Partial<Claim> = {}): Claim {
  return {
    id: `${backend.processId}:${++claims}`,
    resource,
    shape: MUTEX,
    queue: true,
    mayPush: false,
    leaseMs: 10_000,
    holdAtLeastMs: 0,
    tokens: 0,
    notAfter: performance.now() + backend.operationTimeoutMs,
    ...terms,
  };
}

/** Claims and insists on the grant. */
export async function granted(
  backend: Backend,
  resource: string,
  terms: Partial<Claim> = {},
): Promise<Claim & { token: number }> {
  const claim = claimOf(backend, resource, terms);
  const verdict = await backend.leases.claim(claim);
  if (verdict.kind !== 'granted') throw new Error(`not granted: ${JSON.stringify(verdict)}`);
  return { ...claim, token: verdict.token };
}

export function refusalOf(verdict: Verdict): Verdict & { kind: 'refused' } {
  if (verdict.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(verdict)}`);
  return verdict;
}

export const FREE = { keepMs: 0, leaveQueue: true };

/** Waits for something that happens by itself, and says what when it does not. */
export async function until(what: string, condition: () => unknown, withinMs = 5_000): Promise<void> {
  for (const end = performance.now() + withinMs; !(await condition()); await sleep(5)) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`);
  }
}
