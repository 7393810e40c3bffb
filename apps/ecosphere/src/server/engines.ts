import type { Backend } from 'bedrock-lock';
import { startEtcd, startMariadb, startPostgres, startZooKeeper, type RunningServer } from 'bedrock-servers';
import type { EngineName } from './run-servers.js';

/** A server that keeps the locks and no other data of the application. */
export interface Engine {
  /** Shown in reports. */
  readonly title: string;
  /** Protocols of its URLs. */
  readonly protocols: readonly string[];
  readonly example: string;
  /** The variable that may name a server; without it, one is started. */
  readonly variable: string;
  start(): Promise<RunningServer>;
  /** Loads the client, which no other run needs. */
  backend(url: string, options?: EngineOptions): Promise<Backend>;
  /** Prepares the server before the first lock. */
  prepare?(url: string, options?: EngineOptions): Promise<void>;
}

export interface EngineOptions {
  /** Shown as the holder of a lock. */
  readonly label?: string;
  /** Longest request, in ms. @default the backend's */
  readonly operationTimeoutMs?: number;
}

export const ENGINES: Readonly<Record<EngineName, Engine>> = {
  zookeeper: {
    title: 'ZooKeeper',
    protocols: ['zookeeper:'],
    example: 'zookeeper://127.0.0.1:2181',
    variable: 'ZOOKEEPER_URL',
    start: () => startZooKeeper({ shared: true }),
    backend: async (url, options) => {
      const { zookeeper } = await import('bedrock-lock/zookeeper');
      return zookeeper({ connect: new URL(url).host, ...options });
    },
  },
  etcd: {
    title: 'etcd',
    protocols: ['http:', 'https:'],
    example: 'http://127.0.0.1:2379',
    variable: 'ETCD_URL',
    start: () => startEtcd({ shared: true }),
    backend: async (url, options) => {
      const { etcd } = await import('bedrock-lock/etcd');
      return etcd({ hosts: url, ...options });
    },
  },
  mysql: {
    title: 'MariaDB',
    protocols: ['mysql:'],
    example: 'mysql://root@127.0.0.1:3306/bedrock',
    variable: 'MYSQL_URL',
    start: () => startMariadb({ shared: true }),
    backend: async (url, options) => {
      const { mysql } = await import('bedrock-lock/mysql');
      return mysql({ url, ...options });
    },
    prepare: async (url, options) => {
      const { mysql } = await import('bedrock-lock/mysql');
      await withSchema(mysql({ url, ...options }));
    },
  },
  postgres: {
    title: 'PostgreSQL',
    protocols: ['postgres:', 'postgresql:'],
    example: 'postgres://postgres@127.0.0.1:5432/postgres',
    variable: 'POSTGRES_URL',
    start: () => startPostgres({ shared: true }),
    backend: async (url, options) => {
      const { postgres } = await import('bedrock-lock/postgres');
      return postgres({ url, ...options });
    },
    prepare: async (url, options) => {
      const { postgres } = await import('bedrock-lock/postgres');
      await withSchema(postgres({ url, ...options }));
    },
  },
};

async function withSchema(backend: Backend & { ensureSchema(): Promise<void> }): Promise<void> {
  try {
    await backend.ensureSchema();
  } finally {
    await backend.close();
  }
}
