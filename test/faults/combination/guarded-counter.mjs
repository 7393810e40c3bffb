/**
 * Counters in a Redis apart from the nodes: read, pause, write, as a careless program does it, under a lock. The store
 * refuses a writer with an older token than it has seen. Plain JavaScript, since the contending processes load it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

// KEYS 1 counter (hash: value, token, writes)   ARGV 1 token [, 2 value]
// Reply the value read, or OK | -1 the token is older than one that was seen
const SEE = `
if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'token') or 0) then return -1 end
redis.call('HSET', KEYS[1], 'token', ARGV[1])`;
const READ = `${SEE} return tonumber(redis.call('HGET', KEYS[1], 'value') or 0)`;
const WRITE = `${SEE} redis.call('HSET', KEYS[1], 'value', ARGV[2]) return redis.call('HINCRBY', KEYS[1], 'writes', 1)`;

/** One of so many holds takes long, and must be renewed. */
const LONG_ONES = 12;

/** @param {string} url */
export function guardedCounter(url) {
  const store = new Redis(url, { maxRetriesPerRequest: null });
  return {
    /** @param {import('bedrock-lock').Lease} lease */
    async work(lease) {
      const { resource } = lease;
      const ask = async (/** @type {string} */ script, /** @type {(string | number)[]} */ ...args) => {
        const answer = Number(await store.eval(script, 1, resource, lease.token, ...args));
        // Another caller was granted the lock after this lease, which is still held.
        if (answer === -1 && lease.isHeld)
          throw new Error(`token ${lease.token} of "${resource}" is held and old`);
        return answer;
      };
      const value = await ask(READ);
      await sleep(Math.random() * (Math.random() < 1 / LONG_ONES ? 1_500 : 15));
      // A caller that has lost its lease must not write any more.
      if (value !== -1 && lease.isHeld) await ask(WRITE, value + 1);
    },
    async close() {
      await store.quit();
    },
  };
}
