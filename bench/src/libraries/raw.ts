import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from './client.js';
import { openQuorum, type Grant } from './raw-quorum.js';
import type { LockTerms, OpenLock } from './open-lock.js';

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
const EXTEND = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;

/** The lock that people write by hand: SET NX PX under a random id, asked again every `pollMs`, deleted by a script. */
export async function open(terms: LockTerms): Promise<OpenLock<Grant>> {
  if (terms.nodes !== undefined) return openQuorum(terms);
  const { url, leaseMs, pollMs, jitterMs } = terms;
  const client = await openClient(url);
  client.defineCommand('benchRelease', { numberOfKeys: 1, lua: RELEASE });
  client.defineCommand('benchExtend', { numberOfKeys: 1, lua: EXTEND });
  const scripts = client as unknown as {
    benchRelease(key: string, id: string): Promise<number>;
    benchExtend(key: string, id: string, leaseMs: number): Promise<number>;
  };
  return {
    async acquire(key) {
      const id = randomUUID();
      while ((await client.set(key, id, 'PX', leaseMs, 'NX')) === null) {
        await sleep(pollMs + jitterMs * (2 * Math.random() - 1));
      }
      return { key, id };
    },
    release: ({ key, id }) => scripts.benchRelease(key, id),
    async extend(grant) {
      if ((await scripts.benchExtend(grant.key, grant.id, leaseMs)) === 0)
        throw new Error('the lock was lost');
      return grant;
    },
    close: () => client.quit(),
  };
}
