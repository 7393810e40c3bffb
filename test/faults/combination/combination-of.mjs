/** The combination under faults. Plain JavaScript, since the contending processes load it too. */
import { combination } from 'bedrock-lock/combination';
import { redis } from 'bedrock-lock/redis';

/** @typedef {import('bedrock-lock/combination').CombinationOptions} CombinationOptions */
/** @typedef {{ readonly nodeId: string, readonly url: string }} Way */

/**
 * @param {readonly Way[]} ways to the nodes
 * @param {Omit<CombinationOptions, 'nodes'>} options
 */
export function combinationOf(ways, options) {
  return combination({ ...options, nodes: ways.map((way) => redis(way)) });
}
