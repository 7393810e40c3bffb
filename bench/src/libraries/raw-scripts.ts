import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from './client.js';
import type { LockTerms, OpenLock } from './open-lock.js';

// The least that a lock in the format of Redisson's RLock can do: a hash with an expiry, and a word to the waiters.
const CLAIM = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], 1)
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', 'redisson_lock__channel:{' .. KEYS[1] .. '}', 0)
return 1`;

interface Grant {
  readonly key: string;
  readonly id: string;
}

/** A step between raw and Bedrock: two scripts without tokens, without an order, without batches. */
export async function open({ url, leaseMs, pollMs }: LockTerms): Promise<OpenLock<Grant>> {
  const client = await openClient(url);
  client.defineCommand('benchClaim', { numberOfKeys: 1, lua: CLAIM });
  client.defineCommand('benchRelease', { numberOfKeys: 1, lua: RELEASE });
  const scripts = client as unknown as {
    benchClaim(key: string, id: string, leaseMs: number): Promise<number>;
    benchRelease(key: string, id: string): Promise<number>;
  };
  return {
    async acquire(key) {
      const id = randomUUID();
      while ((await scripts.benchClaim(key, id, leaseMs)) === 0) await sleep(pollMs);
      return { key, id };
    },
    release: ({ key, id }) => scripts.benchRelease(key, id),
    close: () => client.quit(),
  };
}
