import { Bedrock, type Lease } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import './client.js';
import { PERMITS, type OpenLockOptions, type OpenLock } from './open-lock.js';

/** The semaphore whose permits are leases. */
export async function open({ url, leaseMs }: OpenLockOptions): Promise<OpenLock<Lease>> {
  const bedrock = new Bedrock({ backend: redis({ url }), defaults: { leaseMs, waitMs: Infinity } });
  await bedrock.ready();
  const semaphore = bedrock.semaphore('bench', { permits: PERMITS });
  const byKey = new Map<string, typeof semaphore>();
  const semaphoreOf = (key: string): typeof semaphore => {
    const known = byKey.get(key) ?? semaphore.for(key);
    byKey.set(key, known);
    return known;
  };
  return {
    acquire: (key) => semaphoreOf(key).acquire(),
    release: (lease) => lease.release(),
    close: () => bedrock.close(),
  };
}
