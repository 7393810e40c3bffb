import { Redlock, type Lock } from '@sesamecare-oss/redlock';
import { openClient } from './client.js';
import type { LockTerms, OpenLock } from './open-lock.js';
import { UsedLock } from './used-lock.js';

/** @sesamecare-oss/redlock, a fork of redlock 5. Only what waits for a lock retries without an end. */
export async function open({ url, leaseMs, pollMs, jitterMs }: LockTerms): Promise<OpenLock<Lock, UsedLock>> {
  const client = await openClient(url);
  const redlock = new Redlock([client]);
  const waiting = { retryCount: -1, retryDelay: pollMs, retryJitter: jitterMs };
  return {
    acquire: (key) => redlock.acquire([key], leaseMs, waiting),
    release: (lock) => lock.release(),
    keep: (key, onLost) => UsedLock.take((routine) => redlock.using([key], leaseMs, routine), onLost),
    letGo: (kept) => kept.letGo(),
    close: () => client.quit(),
  };
}
