import { LockFactory, type Lock } from '@verrou/core';
import { redisStore } from '@verrou/core/drivers/redis';
import { openClient } from './client.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

/** verrou on its Redis store, with a fixed delay; it retries without a limit by itself. */
export async function open({ url, leaseMs, pollMs }: OpenLockOptions): Promise<OpenLock<Lock>> {
  const connection = await openClient(url);
  const factory = new LockFactory(redisStore({ connection }).factory(), { retry: { delay: pollMs } });
  return {
    async acquire(key) {
      const lock = factory.createLock(key, leaseMs);
      await lock.acquire();
      return lock;
    },
    release: (lock) => lock.release(),
    async extend(lock) {
      await lock.extend(leaseMs);
      return lock;
    },
    close: () => connection.quit(),
  };
}
