import {
  startCluster,
  startEtcd,
  startMariadb,
  startPostgres,
  startRedis,
  startZooKeeper,
} from 'bedrock-servers';

/** A server as the command line names it. */
export interface Place {
  readonly url: string;
  stop(): Promise<void>;
}

async function aCluster(): Promise<Place> {
  const cluster = await startCluster({ replicas: 0 });
  const hosts = cluster.nodes.map(({ server }) => `${server.host}:${server.port}`);
  return { url: `redis://${hosts.join(',')}`, stop: () => cluster.stop() };
}

async function anEtcd(): Promise<Place> {
  const server = await startEtcd();
  return { url: `etcd://${server.host}:${server.port}`, stop: () => server.stop() };
}

async function aZooKeeper(): Promise<Place> {
  const server = await startZooKeeper();
  return { url: `zookeeper://${server.host}:${server.port}`, stop: () => server.stop() };
}

/** Each engine: how it starts, and what its first command needs. */
export const ENGINES: [engine: string, start: () => Promise<Place>, tables: string[]][] = [
  ['Redis', startRedis, []],
  ['a Redis Cluster', aCluster, []],
  ['etcd', anEtcd, []],
  ['ZooKeeper', aZooKeeper, []],
  ['PostgreSQL', startPostgres, ['--create-tables']],
  ['MariaDB', startMariadb, ['--create-tables']],
];
