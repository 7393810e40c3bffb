import { randomUUID } from 'node:crypto';
import { zookeeper, type NativeZooKeeper } from 'bedrock-lock/zookeeper';
import { crowdOfProcesses, type ContractHarness } from 'bedrock-testkit';
import { Admin } from '../zookeeper/admin.js';

const NATIVE = new URL('zookeeper-native-factory.mjs', import.meta.url).href;

/** What the contract runs on. */
export interface ZooKeeperGround {
  readonly name: string;
  /** The compiled client. @default none */
  readonly client?: NativeZooKeeper;
  /** Starts it, and gives what a client connects to. */
  start(): Promise<{ readonly connect: string; stop(): Promise<void> }>;
}

/** Real processes on real servers. */
export function zookeeperHarness({ name, client, start }: ZooKeeperGround): ContractHarness {
  let servers: Awaited<ReturnType<typeof start>>;
  let admin: Admin;
  return {
    name,
    kinds: ['mutex', 'fairMutex'],
    // Up to three servers and everything else share two cores.
    handOverMs: 250,
    lacks: ['records', 'holdAtLeast', ...(client ? (['counters', 'permits'] as const) : [])],
    open: async () => {
      servers = await start();
      admin = await Admin.connect(servers.connect);
    },
    backend: async (options) =>
      zookeeper({ connect: servers.connect, ...options, ...(client && { client }) }),
    crowd: (jobs) =>
      crowdOfProcesses(
        { module: client ? NATIVE : 'bedrock-lock/zookeeper', factory: 'zookeeper', args: [servers.connect] },
        jobs,
      ),
    freshResource: () => `contract:${randomUUID()}`,
    isEmpty: async (resource) => (await admin.nodesNamed(resource)).length === 0,
    close: async () => {
      await admin.close();
      await servers.stop();
    },
  };
}
