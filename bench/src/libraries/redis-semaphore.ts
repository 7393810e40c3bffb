import { Mutex } from 'redis-semaphore';
import { openClient } from './client.js';
import type { LockTerms, OpenLock } from './open-lock.js';

/** The mutex of redis-semaphore, which renews by itself, with a fixed interval and without an end of retries. */
export async function open({ url, leaseMs, pollMs }: LockTerms): Promise<OpenLock<Mutex, Mutex>> {
  const client = await openClient(url);
  const options = { lockTimeout: leaseMs, acquireTimeout: Infinity, retryInterval: pollMs };
  return {
    async acquire(key) {
      const mutex = new Mutex(client, key, options);
      await mutex.acquire();
      return mutex;
    },
    release: (mutex) => mutex.release(),
    async keep(key, onLost) {
      const mutex = new Mutex(client, key, { ...options, onLockLost: onLost });
      await mutex.acquire();
      return mutex;
    },
    letGo: (mutex) => mutex.release(),
    close: () => client.quit(),
  };
}
