/**
 * The client libraries that the Redis backend speaks through. Plain JavaScript, since the processes of the contract load
 * it too.
 */
import { redis } from 'bedrock-lock/redis';
import { createRequire } from 'node:module';

/** @typedef {import('bedrock-lock/redis').RedisOptions} RedisOptions */
/** @typedef {NonNullable<RedisOptions['client']>} RedisClient */
/** @typedef {'ioredis 5' | 'ioredis 6' | 'node-redis 5' | 'node-redis 6'} Library */

// Loaded when they are used: node-redis takes 0.5 s of processor time, and `npm test` runs without the earlier versions.
const require = createRequire(import.meta.url);

/** @type {Record<Library, (url: string) => RedisClient>} */
const MAKERS = {
  'ioredis 5': (url) => new (require('ioredis-5').Redis)(url, { lazyConnect: true }),
  'ioredis 6': (url) => new (require('ioredis').Redis)(url, { lazyConnect: true }),
  'node-redis 5': (url) => require('redis-5').createClient({ url }),
  'node-redis 6': (url) => require('redis').createClient({ url }),
};

export const LIBRARIES = /** @type {Library[]} */ (Object.keys(MAKERS));

/**
 * A client as a user makes one; it does not connect.
 * @param {Library} library
 * @param {string} url
 */
export function clientOf(library, url) {
  return MAKERS[library](url);
}

/**
 * @param {Library} library
 * @param {string} url
 * @param {Omit<RedisOptions, 'url' | 'connection' | 'client'>} [options]
 */
export function backendOf(library, url, options) {
  return redis({ ...options, client: clientOf(library, url) });
}
