/** Combinations as tests use them. Plain JavaScript, since the processes of the contract load it too. */
import { combination } from 'bedrock-lock/combination';
import { redis } from 'bedrock-lock/redis';

/** @typedef {import('bedrock-lock/combination').CombinationOptions} CombinationOptions */
/** @typedef {import('bedrock-lock/redis').RedisOptions} RedisOptions */

/**
 * A combination of the servers behind these URLs, which are taken for empty ones.
 * @param {readonly string[]} urls
 * @param {Omit<CombinationOptions, 'nodes'> & { readonly label?: string }} [options]
 */
export function combinationOf(urls, { label, ...options } = {}) {
  const nodes = urls.map((url) => redis({ url, ...(label !== undefined && { label }) }));
  return combination({ coldStart: 'trust', ...options, nodes });
}
