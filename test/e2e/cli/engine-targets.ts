import { Bedrock } from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { redis } from 'bedrock-lock/redis';
import {
  startCluster,
  startEtcd,
  startMariadb,
  startPostgres,
  startRedis,
  startZooKeeper,
  type RunningServer,
} from 'bedrock-servers';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server as the command line names it. */
export interface EngineTarget {
  readonly url: string;
  stop(): Promise<void>;
}

async function clusterTarget(): Promise<EngineTarget> {
  const cluster = await startCluster({ replicas: 0 });
  const hosts = cluster.nodes.map(({ server }) => `${server.host}:${server.port}`);
  return { url: `redis://${hosts.join(',')}`, stop: () => cluster.stop() };
}

async function etcdTarget(): Promise<EngineTarget> {
  const server = await startEtcd();
  return { url: `etcd://${server.host}:${server.port}`, stop: () => server.stop() };
}

async function zookeeperTarget(): Promise<EngineTarget> {
  const server = await startZooKeeper();
  return { url: `zookeeper://${server.host}:${server.port}`, stop: () => server.stop() };
}

/** Each engine: how it starts, and what its first command needs. */
export const ENGINES: [engine: string, start: () => Promise<EngineTarget>, tables: string[]][] = [
  ['Redis', startRedis, []],
  ['a Redis Cluster', clusterTarget, []],
  ['etcd', etcdTarget, []],
  ['ZooKeeper', zookeeperTarget, []],
  ['PostgreSQL', startPostgres, ['--create-tables']],
  ['MariaDB', startMariadb, ['--create-tables']],
];

/** Three nodes, and the file that names them. */
export interface CombinationTarget {
  readonly servers: readonly RunningServer[];
  readonly file: string;
  stop(): Promise<void>;
}

/** The nodes `node-1` to `node-3`, with leases of 30 s at most. An application has used them: new nodes would grant nothing for so long. */
export async function startCombination(): Promise<CombinationTarget> {
  const servers = await Promise.all([1, 2, 3].map(() => startRedis()));
  const folder = mkdtempSync(join(tmpdir(), 'bedrock-cli-'));
  const file = join(folder, 'combination.json');
  const nodes = servers.map(({ url }, at) => ({ id: `node-${at + 1}`, url }));
  writeFileSync(file, JSON.stringify({ nodes, minNodes: 2, maxLeaseMs: 30_000 }));
  const backend = combination({
    nodes: nodes.map(({ id, url }) => redis({ url, nodeId: id })),
    ...{ coldStart: 'trust', nodeTimeoutMs: 5_000 },
  });
  const application = new Bedrock({ backend });
  await application.mutex('first').run(() => undefined);
  await application.close();
  return {
    servers,
    file,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
