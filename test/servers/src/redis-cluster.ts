import { freePorts } from './free-port.js';
import { startRedis } from './redis.js';
import { redisCommand, type RedisReply } from './redis-command.js';
import type { RunningServer } from './running-server.js';
import { SlotMove } from './slot-move.js';
import { within } from './within.js';

export interface ClusterOptions {
  /** @default 3 */
  readonly masters?: number;
  /** Of each master. @default 1 */
  readonly replicas?: number;
  /**
   * A node that is silent for this long is taken for dead, in ms; a failover takes about a second more.
   * @default 1000
   */
  readonly nodeTimeoutMs?: number;
  /** More arguments of every server. */
  readonly args?: readonly string[];
}

/** A server of a cluster. */
export interface ClusterNode {
  readonly server: RunningServer;
  readonly id: string;
}

export const SLOTS = 16_384;
const FORMS_WITHIN_MS = 20_000;
const FAILS_OVER_WITHIN_MS = 20_000;
/** The port of the cluster bus is that of the clients plus this. */
const BUS = 10_000;

/** Starts a Redis Cluster on 127.0.0.1: the slots in equal parts, every replica in step. */
export async function startCluster(options: ClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, replicas = 1, nodeTimeoutMs = 1_000, args = [] } = options;
  const ports = await freePorts(masters * (1 + replicas), [0, BUS]);
  const settings = [
    ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
    ...['--cluster-node-timeout', String(nodeTimeoutMs), '--cluster-replica-validity-factor', '0'],
    ...['--cluster-allow-replica-migration', 'no', '--repl-diskless-sync', 'no'],
    // Without a disk, a replica gets no update for up to a second after it is in step; it is named only once it got
    // one.
    ...['--repl-ping-replica-period', '1'],
    ...args,
  ];
  const starting = ports.map((port) => startRedis({ port, args: settings }));
  const servers = (await Promise.allSettled(starting)).map((one) =>
    one.status === 'fulfilled' ? one.value : undefined,
  );
  const started = servers.filter((server) => server !== undefined);
  try {
    await Promise.all(starting);
    const nodes = await Promise.all(started.map(async (server) => ({ server, id: await idOf(server) })));
    const cluster = new RedisCluster(nodes);
    await cluster.form(masters);
    return cluster;
  } catch (error) {
    await Promise.all(started.map((server) => server.stop()));
    throw error;
  }
}

/** A running cluster, and the handles that a fault test needs. */
export class RedisCluster {
  constructor(readonly nodes: readonly ClusterNode[]) {}

  get addresses(): { host: string; port: number }[] {
    return this.nodes.map(({ server: { host, port } }) => ({ host, port }));
  }

  /** Gives out the slots, and waits until every node sees the whole cluster and serves. */
  async form(masters: number): Promise<void> {
    const heads = this.nodes.slice(0, masters);
    await Promise.all(
      heads.map(async ({ server }, i) => {
        const [first, next] = [i, i + 1].map((at) => Math.floor((SLOTS * at) / masters));
        await redisCommand(server, 'CLUSTER', 'ADDSLOTSRANGE', first!, next! - 1);
        await redisCommand(server, 'CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
      }),
    );
    // All meet all: gossip alone would take its time.
    for (const [i, { server }] of this.nodes.entries()) {
      const others = this.nodes.slice(i + 1).map(({ server: { host, port } }) => [host, port] as const);
      await Promise.all(others.map((other) => redisCommand(server, 'CLUSTER', 'MEET', ...other)));
    }
    await Promise.all(
      this.nodes.slice(masters).map(async ({ server }, i) => {
        const replicate = ['CLUSTER', 'REPLICATE', heads[i % masters]!.id];
        await within(FORMS_WITHIN_MS, 'a replica knows its master', () => redisCommand(server, ...replicate));
      }),
    );
    await within(FORMS_WITHIN_MS, 'the cluster serves', () => this.#isFormed(masters));
  }

  /** The server that serves a slot now, as a node that is alive sees it. */
  async masterOf(slot: number): Promise<ClusterNode> {
    const ranges = (await this.#askAny('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
    const owner = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][2];
    const node = this.nodes.find(({ id }) => id === owner);
    if (node === undefined) throw new Error(`nobody serves slot ${slot}`);
    return node;
  }

  /** The servers that have slots now. */
  async masters(): Promise<ClusterNode[]> {
    const ranges = (await this.#askAny('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
    const owners = new Set(ranges.map(([, , [, , id]]) => id));
    return this.nodes.filter(({ id }) => owners.has(id));
  }

  slotOf(key: string): Promise<number> {
    return this.#askAny('CLUSTER', 'KEYSLOT', key) as Promise<number>;
  }

  /** Waits until a replica of a dead master serves its slot in the eyes of all that live, and gives that replica. */
  async failedOver(slot: number, dead: ClusterNode): Promise<ClusterNode> {
    return within(FAILS_OVER_WITHIN_MS, `another node serves slot ${slot}`, async () => {
      const next = await this.masterOf(slot);
      if (next === dead) return undefined;
      await Promise.all(
        this.nodes
          .filter((node) => node !== dead)
          .map(async ({ server }) => {
            const info = (await redisCommand(server, 'CLUSTER', 'INFO')) as string;
            if (!info.includes('cluster_state:ok')) throw new Error(info);
          }),
      );
      return next;
    });
  }

  /** Begins to move a slot, step by step, as `redis-cli --cluster reshard` does it. */
  async moveSlot(slot: number, to: ClusterNode): Promise<SlotMove> {
    const move = new SlotMove(slot, await this.masterOf(slot), to, await this.masters());
    await move.begin();
    return move;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ server }) => server.stop()));
  }

  async #isFormed(masters: number): Promise<boolean> {
    const views = await Promise.all(
      this.nodes.map(async ({ server }) => {
        const [info, replication, ranges] = await Promise.all([
          redisCommand(server, 'CLUSTER', 'INFO'),
          redisCommand(server, 'INFO', 'replication'),
          redisCommand(server, 'CLUSTER', 'SLOTS'),
        ]);
        // Each range names its master and the replicas that this node knows of.
        const known = new Set((ranges as RedisReply[][]).flatMap((range) => range.slice(2).map(String)));
        return (
          String(info).includes('cluster_state:ok') &&
          !String(replication).includes('master_link_status:down') &&
          (ranges as RedisReply[]).length === masters &&
          known.size === this.nodes.length
        );
      }),
    );
    return views.every(Boolean);
  }

  /** Asks one node after the other until one answers: some may be dead. */
  async #askAny(...command: (string | number)[]): Promise<RedisReply> {
    let last: unknown;
    for (const { server } of this.nodes) {
      try {
        return await redisCommand(server, ...command);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }
}

async function idOf(server: RunningServer): Promise<string> {
  return (await redisCommand(server, 'CLUSTER', 'MYID')) as string;
}
