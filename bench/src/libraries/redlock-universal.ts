import { createLock, IoredisAdapter, type Lock, type LockHandle } from 'redlock-universal';
import { openClient } from './client.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';
import { UsedLock } from './used-lock.js';

interface Grant {
  readonly lock: Lock;
  readonly handle: LockHandle;
}

/**
 * redlock-universal on one node, in its standard mode. A lock is created once per key, since each begins with a PING.
 */
export async function open({ url, leaseMs, pollMs }: OpenLockOptions): Promise<OpenLock<Grant, UsedLock>> {
  const client = await openClient(url);
  const adapter = new IoredisAdapter(client);
  const locks = new Map<string, Lock>();
  const create = (key: string): Lock => {
    const lock = createLock({
      adapter,
      key,
      ttl: leaseMs,
      retryAttempts: Number.MAX_SAFE_INTEGER,
      retryDelay: pollMs,
    });
    locks.set(key, lock);
    return lock;
  };
  const lockOf = (key: string): Lock => locks.get(key) ?? create(key);
  return {
    async acquire(key) {
      const lock = lockOf(key);
      return { lock, handle: await lock.acquire() };
    },
    release: ({ lock, handle }) => lock.release(handle),
    keep: (key, onLost) => {
      const lock = createLock({ adapter, key, ttl: leaseMs });
      return UsedLock.take((routine) => lock.using(routine), onLost);
    },
    letGo: (kept) => kept.letGo(),
    close: () => client.quit(),
  };
}
