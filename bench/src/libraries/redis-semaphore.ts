import { Mutex, Semaphore } from 'redis-semaphore';
import { openClient } from './client.js';
import { PERMITS, type OpenLockOptions, type OpenLock } from './open-lock.js';

/** The mutex of redis-semaphore, which renews by itself; with a fixed interval and unlimited retries. */
export async function open({ url, leaseMs, pollMs }: OpenLockOptions): Promise<OpenLock<Mutex, Mutex>> {
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

/** Its semaphore, with the same options. */
export async function openSemaphore({ url, leaseMs, pollMs }: OpenLockOptions): Promise<OpenLock<Semaphore>> {
  const client = await openClient(url);
  const options = { lockTimeout: leaseMs, acquireTimeout: Infinity, retryInterval: pollMs };
  return {
    async acquire(key) {
      const semaphore = new Semaphore(client, key, PERMITS, options);
      await semaphore.acquire();
      return semaphore;
    },
    release: (semaphore) => semaphore.release(),
    close: () => client.quit(),
  };
}
