import type { OpenLock } from '../libraries/open-lock.js';

const nothing = (): void => undefined;

/** One cycle on a key: acquire the lock, release it. The same code for all libraries. */
export function cycleOf(lock: OpenLock, key: string): () => Promise<void> {
  if (lock.run !== undefined) {
    return async () => {
      await lock.run!(key, nothing);
    };
  }
  return async () => {
    await lock.release(await lock.acquire(key));
  };
}

/** The same with work under the lock. */
export function turnOf(lock: OpenLock, key: string, body: () => Promise<void>): () => Promise<void> {
  if (lock.run !== undefined) {
    return async () => {
      await lock.run!(key, body);
    };
  }
  return async () => {
    const grant = await lock.acquire(key);
    try {
      await body();
    } finally {
      await lock.release(grant);
    }
  };
}
