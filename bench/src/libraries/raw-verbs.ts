import type { Redis } from 'ioredis';

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
const EXTEND = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;

// The least that a lock in the format of Redisson's RLock can do: a hash with an expiry, and a word to the waiters.
const CLAIM_HASH = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], 1)
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE_HASH = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', 'redisson_lock__channel:{' .. KEYS[1] .. '}', 0)
return 1`;

export interface Grant {
  readonly key: string;
  readonly id: string;
}

/** What is asked of one server; 1 when it is done. */
export interface Verbs {
  take(grant: Grant, leaseMs: number): Promise<number>;
  release(grant: Grant): Promise<number>;
  extend?(grant: Grant, leaseMs: number): Promise<number>;
}

/** `SET NX PX` under a random id, and a script that deletes it. */
export function plainVerbs(client: Redis): Required<Verbs> {
  client.defineCommand('benchRelease', { numberOfKeys: 1, lua: RELEASE });
  client.defineCommand('benchExtend', { numberOfKeys: 1, lua: EXTEND });
  const scripts = client as unknown as {
    benchRelease(key: string, id: string): Promise<number>;
    benchExtend(key: string, id: string, leaseMs: number): Promise<number>;
  };
  return {
    take: async ({ key, id }, leaseMs) => ((await client.set(key, id, 'PX', leaseMs, 'NX')) === null ? 0 : 1),
    release: ({ key, id }) => scripts.benchRelease(key, id),
    extend: ({ key, id }, leaseMs) => scripts.benchExtend(key, id, leaseMs),
  };
}

/** Two scripts, without tokens, without an order, without batches. */
export function scriptVerbs(client: Redis): Verbs {
  client.defineCommand('benchClaimHash', { numberOfKeys: 1, lua: CLAIM_HASH });
  client.defineCommand('benchReleaseHash', { numberOfKeys: 1, lua: RELEASE_HASH });
  const scripts = client as unknown as {
    benchClaimHash(key: string, id: string, leaseMs: number): Promise<number>;
    benchReleaseHash(key: string, id: string): Promise<number>;
  };
  return {
    take: ({ key, id }, leaseMs) => scripts.benchClaimHash(key, id, leaseMs),
    release: ({ key, id }) => scripts.benchReleaseHash(key, id),
  };
}
