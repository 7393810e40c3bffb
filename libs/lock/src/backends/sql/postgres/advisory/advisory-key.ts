import { createHash } from 'node:crypto';

/**
 * The number that PostgreSQL knows a resource by, as text: 64 bits of its SHA-256. Two resources
 * that share one, which is not to be expected before there are billions, wait for each other, and
 * nothing worse.
 */
export function advisoryKey(resource: string): string {
  return createHash('sha256').update('bedrock:').update(resource).digest().readBigInt64BE(0).toString();
}

/** How a list names an advisory lock: only its number is known. */
export function serverNameOf(key: string): string {
  return `advisory:${key}`;
}

/** The number in such a name; undefined in any other text. */
export function keyInServerName(text: string): string | undefined {
  const key = /^advisory:(-?\d{1,19})$/.exec(text)?.[1];
  return key !== undefined && BigInt.asIntN(64, BigInt(key)) === BigInt(key) ? key : undefined;
}
