import { Bedrock, type Backend, type LockOptions } from 'bedrock-lock';
import { combination, type CombinationOptions } from 'bedrock-lock/combination';
import { redis } from 'bedrock-lock/redis';
import { startProxy, startRedis, type RunningServer, type TcpProxy } from 'bedrock-servers';
import { Redis } from 'ioredis';

/** The nodes from left to right. */
export const IDS = ['a', 'b', 'c', 'd', 'e'];

export type Rules = Omit<CombinationOptions, 'nodes'> & {
  /** Ways to nodes by their id, instead of the direct one. */
  readonly through?: Readonly<Record<string, TcpProxy>>;
};

/** Several servers of their own, observers that look at them, and backends that are closed after each test. */
export class Nodes {
  servers: RunningServer[] = [];
  observers: Redis[] = [];
  readonly #open: { close(): Promise<unknown> }[] = [];
  readonly #proxies: TcpProxy[] = [];

  async start(count = 3): Promise<void> {
    this.servers = await Promise.all(Array.from({ length: count }, () => startRedis()));
    this.observers = this.servers.map(({ port }) => {
      const observer = new Redis(port, { retryStrategy: () => 20, maxRetriesPerRequest: null });
      observer.on('error', () => undefined);
      return observer;
    });
  }

  async stop(): Promise<void> {
    for (const observer of this.observers) observer.disconnect();
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  /** A combination that serves; its nodes are taken for empty. */
  async backend(rules: Rules = {}): Promise<Backend> {
    const backend = this.unready(rules);
    this.#open.push(backend);
    await backend.ready();
    return backend;
  }

  unready({ through = {}, ...rules }: Rules = {}): Backend {
    const nodes = this.servers.map(({ host, port }, i) => {
      const nodeId = IDS[i]!;
      return redis({ url: `redis://${host}:${through[nodeId]?.port ?? port}`, nodeId });
    });
    return combination({ coldStart: 'trust', nodeTimeoutMs: 100, ...rules, nodes });
  }

  async bedrock(rules: Rules = {}, defaults: LockOptions = {}): Promise<Bedrock> {
    const bedrock = new Bedrock({ backend: this.unready(rules), defaults });
    this.#open.push({ close: () => bedrock.close({ graceMs: 0 }) });
    await bedrock.ready();
    return bedrock;
  }

  /** A way to a node that can be slow or lose what goes over it. */
  async wayTo(id: string): Promise<TcpProxy> {
    const proxy = await startProxy(this.server(id).port);
    this.#proxies.push(proxy);
    return proxy;
  }

  /** The node of this id is gone, with all its data. */
  crash(id: string): void {
    this.server(id).kill('SIGKILL');
  }

  server(id: string): RunningServer {
    return this.servers[IDS.indexOf(id)]!;
  }

  observer(id: string): Redis {
    return this.observers[IDS.indexOf(id)]!;
  }

  /** The holders of the lock, node by node from left to right; undefined where a node has none. */
  async holders(resource: string): Promise<(string | undefined)[]> {
    return Promise.all(this.observers.map(async (observer) => (await observer.hkeys(resource))[0]));
  }

  /** Scripts that each node has run so far. */
  async scripts(): Promise<number[]> {
    return Promise.all(
      this.observers.map(async (observer) => {
        const stats = String(await observer.info('commandstats'));
        return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
      }),
    );
  }

  /** Closes what was opened, brings every server back, and empties it. */
  async clean(): Promise<void> {
    for (const server of this.servers) server.resume();
    await Promise.all(this.#open.splice(0).map((one) => one.close()));
    await Promise.all(this.#proxies.splice(0).map((proxy) => proxy.stop()));
    for (const [i, server] of this.servers.entries()) {
      const answers = await Promise.race([this.observers[i]!.ping(), after(200)]);
      if (answers !== 'PONG') await server.restart();
      await this.observers[i]!.flushall();
    }
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(() => resolve(undefined), ms));
}
