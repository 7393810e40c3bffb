import { createHash } from 'node:crypto';

/**
 * The number that PostgreSQL knows a resource by, as text: 64 bits of its SHA-256. Two resources
 * that share one, which is not to be expected before there are billions, wait for each other, and
 * nothing worse.
 */
export function advisoryKey(resource: string): string {
  return createHash('sha256').update('bedrock:').update(resource).digest().readBigInt64BE(0).toString();
}
