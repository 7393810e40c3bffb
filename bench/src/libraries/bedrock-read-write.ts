import { Bedrock, type Lease, type ReadWriteLock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import './client.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

/** The read-write lock: `acquire` and `run` write. */
export async function open({ url, leaseMs }: OpenLockOptions): Promise<OpenLock<Lease>> {
  const bedrock = new Bedrock({ backend: redis({ url }), defaults: { leaseMs, waitMs: Infinity } });
  await bedrock.ready();
  const locks = new Map<string, ReadWriteLock>();
  const create = (key: string): ReadWriteLock => {
    const lock = bedrock.readWriteLock(key);
    locks.set(key, lock);
    return lock;
  };
  const lockOf = (key: string): ReadWriteLock => locks.get(key) ?? create(key);
  return {
    acquire: (key) => lockOf(key).write.acquire(),
    release: (lease) => lease.release(),
    run: (key, body) => lockOf(key).write.run(body),
    read: (key, body) => lockOf(key).read.run(body),
    close: () => bedrock.close(),
  };
}
