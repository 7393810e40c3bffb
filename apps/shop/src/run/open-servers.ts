import {
  startEtcd,
  startMariadb,
  startPostgres,
  startRedis,
  startZooKeeper,
  type RunningServer,
} from 'bedrock-servers';
import type { LocksBackend } from '../stock/lock-backend.js';
import type { Closer } from './closer.js';

/** The servers of a run. */
export interface Servers {
  readonly mariadb: RunningServer;
  readonly redis: RunningServer;
  /** Undefined for locks in memory; MariaDB and Redis serve twice if they keep the locks. */
  readonly locks: RunningServer | undefined;
}

/** Finds or starts the servers in parallel. @throws if one is unavailable */
export async function openServers(backend: LocksBackend, closer: Closer): Promise<Servers> {
  const open = async (start: Promise<RunningServer>): Promise<RunningServer> => {
    const server = await start;
    closer.add(() => server.stop());
    return server;
  };
  const mariadb = open(startMariadb({ shared: true }));
  const redis = open(startRedis({ shared: true }));
  const locks: Readonly<Record<LocksBackend, () => Promise<RunningServer | undefined>>> = {
    zookeeper: () => open(startZooKeeper({ shared: true })),
    etcd: () => open(startEtcd({ shared: true })),
    postgres: () => open(startPostgres({ shared: true })),
    redis: () => redis,
    mysql: () => mariadb,
    memory: async () => undefined,
  };
  const [one, other, third] = await Promise.all([mariadb, redis, locks[backend]()]);
  return { mariadb: one, redis: other, locks: third };
}
