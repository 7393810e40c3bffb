import { zookeeperSays } from 'bedrock-servers';
import { versionOf } from '../report/machine.js';
import { ENGINE_TITLES, type EngineName } from './engines.js';

const CLIENTS: Readonly<Record<EngineName, string>> = {
  redis: 'ioredis',
  zookeeper: 'node-zookeeper-client',
  etcd: 'etcd3',
  postgres: 'pg',
  mysql: 'mysql2',
};

const VERSIONS: Readonly<Record<EngineName, (url: string) => Promise<string | undefined>>> = {
  redis: async () => undefined,
  zookeeper: async (url) => {
    const { port, hostname } = new URL(url);
    return /version: ([\d.]+)/i.exec(await zookeeperSays(Number(port), 'srvr', hostname))?.[1];
  },
  etcd: async (url) =>
    ((await (await fetch(`${url}/version`)).json()) as { readonly etcdserver: string }).etcdserver,
  postgres: async (url) => {
    const { default: pg } = await import('pg');
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    await client.end();
    return rows[0]?.server_version.split(' ')[0];
  },
  mysql: async (url) => {
    const { createConnection } = await import('mysql2/promise');
    const client = await createConnection(url);
    const [rows] = await client.query('SELECT VERSION() AS version');
    await client.end();
    return (rows as { version: string }[])[0]?.version.split('-')[0];
  },
};

/** An engine in one line: `etcd 3.4.23, etcd3 1.1.2`. */
export async function describeEngine(engine: EngineName, url: string): Promise<string> {
  const [client, version] = [CLIENTS[engine], await VERSIONS[engine](url)];
  return `${ENGINE_TITLES[engine]} ${version ?? 'of an unknown version'}, ${client} ${versionOf(client)}`;
}
