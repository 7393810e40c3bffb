import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from './client.js';
import { openUnanimousByScripts } from './raw-quorum.js';
import { scriptVerbs, type Grant } from './raw-verbs.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

/**
 * A step between raw and Bedrock: two scripts in the format of Redisson's RLock; on several servers, all must grant.
 */
export async function open(options: OpenLockOptions): Promise<OpenLock<Grant>> {
  if (options.nodes !== undefined) return openUnanimousByScripts(options);
  const { url, leaseMs, pollMs } = options;
  const client = await openClient(url);
  const { take, release } = scriptVerbs(client);
  return {
    async acquire(key) {
      const grant = { key, id: randomUUID() };
      while ((await take(grant, leaseMs)) === 0) await sleep(pollMs);
      return grant;
    },
    release,
    close: () => client.quit(),
  };
}
