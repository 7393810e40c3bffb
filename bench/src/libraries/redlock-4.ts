import Redlock, { type Lock } from 'redlock-4';
import { endClients, openClients } from './client.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

/** redlock 4. Only a waiting caller retries without a limit. */
export async function open(options: OpenLockOptions): Promise<OpenLock<Lock>> {
  const { leaseMs, pollMs, jitterMs } = options;
  const clients = await openClients(options);
  const redlock = new Redlock(clients, { retryJitter: jitterMs });
  const waiting = { retryCount: -1, retryDelay: pollMs };
  return {
    acquire: (key) => redlock.lockWithOptions(key, leaseMs, waiting),
    release: (lock) => lock.unlock(),
    extend: (lock) => lock.extend(leaseMs),
    close: () => endClients(clients),
  };
}
