import type { Redis } from 'ioredis';

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
const EXTEND = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;

// The minimum of a lock in the format of Redisson's RLock: a hash with an expiry, and a message to the waiters.
const CLAIM_HASH = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], 1)
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE_HASH = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', 'redisson_lock__channel:{' .. KEYS[1] .. '}', 0)
return 1`;

// The minimum of the combination lock's rules in a script: a guard, a refusal of late requests, and a queue.
const CLAIM_SAFELY = `
if redis.call('GET', KEYS[3]) ~= ARGV[4] or redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], 1)
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE_SAFELY = `
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return redis.error_reply('ERR somebody waits') end
redis.call('PUBLISH', 'redisson_lock__channel:{' .. KEYS[1] .. '}', 0)
return 1`;
/** How long a claim may be in flight, in ms. */
const IN_TIME_MS = 1_000;

export interface Grant {
  readonly key: string;
  readonly id: string;
}

/** The requests to one server; 1 means done. */
export interface Verbs {
  take(grant: Grant, leaseMs: number): Promise<number>;
  release(grant: Grant): Promise<number>;
  extend?(grant: Grant, leaseMs: number): Promise<number>;
}

/** `SET NX PX` with a random id, and a script that deletes it. */
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

/** Two scripts, without tokens, order or batches. */
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

/**
 * Two scripts that keep the rules of the combination lock: guard, queue, refusal of late requests; without an engine.
 */
export async function guardedVerbs(client: Redis): Promise<Verbs> {
  client.defineCommand('benchClaimSafely', { numberOfKeys: 3, lua: CLAIM_SAFELY });
  client.defineCommand('benchReleaseSafely', { numberOfKeys: 2, lua: RELEASE_SAFELY });
  const scripts = client as unknown as {
    benchClaimSafely(...keysAndArgs: (string | number)[]): Promise<number>;
    benchReleaseSafely(key: string, line: string, id: string): Promise<number>;
  };
  const guard = 'bench_guard';
  const runId = /run_id:(\w+)/.exec(await client.info('server'))![1]!;
  await client.set(guard, runId);
  return {
    take: ({ key, id }, leaseMs) =>
      scripts.benchClaimSafely(key, queueOf(key), guard, id, leaseMs, Date.now() + IN_TIME_MS, runId),
    release: ({ key, id }) => scripts.benchReleaseSafely(key, queueOf(key), id),
  };
}

function queueOf(key: string): string {
  return `bench_line:{${key}}`;
}
