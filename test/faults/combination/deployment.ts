import {
  redisCommand,
  startProxy,
  startRedis,
  type RedisReply,
  type RunningServer,
  type TcpProxy,
} from 'bedrock-servers';
import { combinationOf } from './combination-of.mjs';
import { delay } from './delay.js';
import { MAX_LEASE_MS, COMBINATION_OPTIONS } from './settings.js';

/** Leases of killed clients, and rollbacks, are over. */
const GONE_WITHIN_MS = MAX_LEASE_MS + 1_000;
const IDS = ['a', 'b', 'c', 'd', 'e'] as const;
/** Whose rights can be taken away without locking the test out. */
export const USER = 'locks';
const PASSWORD = 'open';
const RIGHTS = ['on', 'resetpass', `>${PASSWORD}`, '~*', '&*', '+@all'];

/** One node: its server, and a proxy that some clients go through. */
export class Node {
  constructor(
    readonly id: string,
    readonly server: RunningServer,
    readonly proxy: TcpProxy,
  ) {}

  /** On a connection of its own, as a user who may do everything. */
  command(...args: (string | number)[]): Promise<RedisReply> {
    return redisCommand(this.server, ...args);
  }

  /** The user of the locks may use them, again. */
  permit(): Promise<RedisReply> {
    return this.command('ACL', 'SETUSER', USER, ...RIGHTS);
  }

  /** Kills the server, which forgets what it has not written down, and brings it back. */
  async crash(awayMs: number): Promise<void> {
    this.server.kill('SIGKILL');
    await delay(awayMs);
    await this.server.restart();
    await this.permit();
  }

  address(isProxied: boolean): { readonly nodeId: string; readonly url: string } {
    const { port } = isProxied ? this.proxy : this.server;
    return { nodeId: this.id, url: `redis://${USER}:${PASSWORD}@127.0.0.1:${port}` };
  }
}

/** The nodes of a combination, from left to right. */
export class Deployment {
  private constructor(readonly nodes: readonly Node[]) {}

  /** Starts the servers and has them known as empty ones. */
  static async open(count: number, args: readonly string[] = []): Promise<Deployment> {
    const started = await Promise.allSettled(IDS.slice(0, count).map((id) => startNode(id, args)));
    const deployment = new Deployment(
      started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    );
    const failed = started.find((one) => one.status === 'rejected');
    if (failed !== undefined) {
      await deployment.close();
      throw failed.reason;
    }
    const backend = combinationOf(deployment.addresses(false), {
      ...COMBINATION_OPTIONS,
      nodeTimeoutMs: 1_000,
      coldStart: 'trust',
    });
    await backend.ready();
    await backend.close();
    return deployment;
  }

  addresses(isProxied: boolean): { readonly nodeId: string; readonly url: string }[] {
    return this.nodes.map((node) => node.address(isProxied));
  }

  /** Keys about the resource on any node; the documented permanent ones are not among them. */
  async leftovers(resource: string): Promise<string[]> {
    const found = await Promise.all(
      this.nodes.map(async (node) => {
        const keys = (await node.command('KEYS', `*${resource}*`)) as string[];
        return keys.map((key) => `${key} on ${node.id}`);
      }),
    );
    return found.flat();
  }

  async close(): Promise<void> {
    for (const { server } of this.nodes) server.resume();
    await Promise.all(this.nodes.flatMap(({ server, proxy }) => [server.stop(), proxy.stop()]));
  }
}

/** The keys that stay for longer than a lease and a second. */
export async function remainingKeys(deployment: Deployment, resource: string): Promise<string[]> {
  const endsAt = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    const left = await deployment.leftovers(resource);
    if (left.length === 0 || performance.now() > endsAt) return left;
    await delay(50);
  }
}

async function startNode(id: string, args: readonly string[]): Promise<Node> {
  const server = await startRedis({ args: ['--enable-debug-command', 'yes', ...args] });
  const node = new Node(id, server, await startProxy(server.port));
  await node.permit();
  return node;
}
