import { Bedrock, type Backend, type BedrockOptions } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import {
  redisCommand,
  startCluster,
  type ClusterNode,
  type RedisCluster,
  type RedisReply,
} from 'bedrock-servers';
import { OPERATION_TIMEOUT_MS } from '../../../../contract/times.js';

/** A cluster of its own, and backends that are closed after each test. */
export class ClusterFixture {
  cluster!: RedisCluster;
  readonly #backends: Backend[] = [];
  readonly #bedrocks: Bedrock[] = [];

  async start(...args: Parameters<typeof startCluster>): Promise<void> {
    this.cluster = await startCluster(...args);
  }

  /** Where the cluster is, by one of its servers. */
  get options(): RedisOptions {
    return { cluster: this.cluster.addresses.slice(0, 1) };
  }

  /** A backend that serves. */
  async backend(options: RedisOptions = {}): Promise<Backend> {
    const backend = this.unready(options);
    await backend.ready();
    return backend;
  }

  unready(options: RedisOptions = {}): Backend {
    const where = options.client ? {} : this.options;
    const backend = redis({ operationTimeoutMs: OPERATION_TIMEOUT_MS, ...where, ...options });
    this.#backends.push(backend);
    return backend;
  }

  async bedrock(options: RedisOptions = {}, more: Omit<BedrockOptions, 'backend'> = {}): Promise<Bedrock> {
    const bedrock = new Bedrock({
      backend: redis({ operationTimeoutMs: OPERATION_TIMEOUT_MS, ...this.options, ...options }),
      ...more,
    });
    this.#bedrocks.push(bedrock);
    await bedrock.ready();
    return bedrock;
  }

  /** The master that has a key now. */
  async masterOf(key: string): Promise<ClusterNode> {
    return this.cluster.masterOf(await this.cluster.slotOf(key));
  }

  /** A master that does not have it. */
  async otherThan(node: ClusterNode): Promise<ClusterNode> {
    return (await this.cluster.masters()).find((other) => other !== node)!;
  }

  /** A command on the master that has the key. */
  async on(key: string, ...command: (string | number)[]): Promise<RedisReply> {
    return redisCommand((await this.masterOf(key)).server, ...command);
  }

  /** All keys of the cluster that fit, without the permanent ones. */
  async keys(pattern = '*'): Promise<string[]> {
    const masters = await this.cluster.masters();
    const keys = await Promise.all(masters.map(({ server }) => redisCommand(server, 'KEYS', pattern)));
    return (keys.flat() as string[]).filter((key) => !/^bedrock_(token|process):/.test(key));
  }

  async close(): Promise<void> {
    await Promise.all(this.#bedrocks.splice(0).map((bedrock) => bedrock.close({ graceMs: 0 })));
    await Promise.all(this.#backends.splice(0).map((backend) => backend.close()));
  }

  async clean(): Promise<void> {
    await this.close();
    const masters = await this.cluster.masters();
    await Promise.all(masters.map(({ server }) => redisCommand(server, 'FLUSHALL')));
  }

  async stop(): Promise<void> {
    for (const { server } of this.cluster.nodes) server.resume();
    await this.close();
    await this.cluster.stop();
  }
}
