import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from './client.js';
import { openQuorum } from './raw-quorum.js';
import { plainVerbs, type Grant } from './raw-verbs.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

/** The usual hand-made lock: SET NX PX with a random id, repeated every `pollMs`, deleted by a script. */
export async function open(options: OpenLockOptions): Promise<OpenLock<Grant>> {
  if (options.nodes !== undefined) return openQuorum(options);
  const { url, leaseMs, pollMs, jitterMs } = options;
  const client = await openClient(url);
  const { take, release, extend } = plainVerbs(client);
  return {
    async acquire(key) {
      const grant = { key, id: randomUUID() };
      while ((await take(grant, leaseMs)) === 0) await sleep(pollMs + jitterMs * (2 * Math.random() - 1));
      return grant;
    },
    release,
    async extend(grant) {
      if ((await extend(grant, leaseMs)) === 0) throw new Error('the lock was lost');
      return grant;
    },
    close: () => client.quit(),
  };
}
