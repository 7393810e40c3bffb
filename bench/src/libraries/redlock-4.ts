import Redlock, { type Lock } from 'redlock-4';
import { openClient } from './client.js';
import type { LockTerms, OpenLock } from './open-lock.js';

/** redlock 4. Only what waits for a lock retries without an end. */
export async function open({ url, leaseMs, pollMs, jitterMs }: LockTerms): Promise<OpenLock<Lock>> {
  const client = await openClient(url);
  const redlock = new Redlock([client], { retryJitter: jitterMs });
  const waiting = { retryCount: -1, retryDelay: pollMs };
  return {
    acquire: (key) => redlock.lockWithOptions(key, leaseMs, waiting),
    release: (lock) => lock.unlock(),
    extend: (lock) => lock.extend(leaseMs),
    close: () => client.quit(),
  };
}
