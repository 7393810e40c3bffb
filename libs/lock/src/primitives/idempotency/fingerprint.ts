import { createHash } from 'node:crypto';
import { InvalidOptionError } from '../../core/errors.js';

/**
 * SHA-256 of a payload, as hex. Bytes are hashed as they are, other values as canonical JSON, so
 * that the order of fields does not matter. (RFC 8785: members sorted by their UTF-16 units, no
 * white space.) '' for undefined.
 * @throws InvalidOptionError for values that JSON cannot express: cycles, bigints
 */
export function fingerprintOf(payload: unknown): string {
  if (payload === undefined) return '';
  const hash = createHash('sha256');
  if (payload instanceof Uint8Array) return hash.update(payload).digest('hex');
  return hash.update(canonicalJson(payload)).digest('hex');
}

/** @throws InvalidOptionError */
export function canonicalJson(value: unknown): string {
  let plain: string | undefined;
  try {
    plain = JSON.stringify(value);
  } catch {
    throw new InvalidOptionError('payload', 'a value that JSON can say, or bytes', value);
  }
  if (plain === undefined)
    throw new InvalidOptionError('payload', 'a value that JSON can say, or bytes', value);
  return write(JSON.parse(plain));
}

/** @param value as JSON.parse gives it */
function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
}
