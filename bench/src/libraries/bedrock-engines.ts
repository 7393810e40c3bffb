import { Bedrock, type Backend, type Lease, type Lock } from 'bedrock-lock';
import type { EngineName } from '../engines/engines.js';
import { countAlso } from '../figures/commands.js';
import { open as openOnRedis } from './bedrock.js';
import type { OpenLockOptions, OpenLibrary, OpenLock } from './open-lock.js';
import { countNotifications } from './zookeeper-notifications.js';

/** Each loads only its own client. */
const BACKENDS: Readonly<Record<Exclude<EngineName, 'redis'>, (url: string) => Promise<Backend>>> = {
  zookeeper: async (url) => {
    await countNotifications();
    return (await import('bedrock-lock/zookeeper')).zookeeper({ connect: new URL(url).host });
  },
  etcd: async (url) => (await import('bedrock-lock/etcd')).etcd({ hosts: url }),
  postgres: async (url) => (await import('bedrock-lock/postgres')).postgres(url),
  mysql: async (url) => (await import('bedrock-lock/mysql')).mysql(url),
};

/** Bedrock with default options on an engine, by `acquire` and `release`. */
export function openOn(engine: EngineName): OpenLibrary {
  if (engine === 'redis') return openOnRedis;
  return async ({ url, leaseMs }: OpenLockOptions): Promise<OpenLock<Lease>> => {
    const backend = await BACKENDS[engine](url);
    countAlso(() => backend.commands);
    const bedrock = new Bedrock({ backend, defaults: { leaseMs, waitMs: Infinity } });
    await bedrock.ready();
    // A lock is created once and reused.
    const locks = new Map<string, Lock>();
    const create = (key: string): Lock => {
      const lock = bedrock.mutex(key);
      locks.set(key, lock);
      return lock;
    };
    return {
      acquire: (key) => (locks.get(key) ?? create(key)).acquire(),
      release: (lease) => lease.release(),
      close: () => bedrock.close(),
    };
  };
}
