import { Redlock, type Lock } from '@sesamecare-oss/redlock';
import { endClients, openClients } from './client.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';
import { UsedLock } from './used-lock.js';

/** @sesamecare-oss/redlock, a fork of redlock 5. Only a waiting caller retries without a limit. */
export async function open(options: OpenLockOptions): Promise<OpenLock<Lock, UsedLock>> {
  const { leaseMs, pollMs, jitterMs } = options;
  const clients = await openClients(options);
  const redlock = new Redlock(clients);
  const waiting = { retryCount: -1, retryDelay: pollMs, retryJitter: jitterMs };
  return {
    acquire: (key) => redlock.acquire([key], leaseMs, waiting),
    release: (lock) => lock.release(),
    keep: (key, onLost) => UsedLock.take((routine) => redlock.using([key], leaseMs, routine), onLost),
    letGo: (kept) => kept.letGo(),
    close: () => endClients(clients),
  };
}
