import { InvalidOptionError } from './errors.js';

/** Longest resource name, in characters. */
export const MAX_NAME_LENGTH = 512;

/* eslint-disable-next-line no-control-regex -- control characters are what it looks for */
const CONTROL = /[\u0000-\u001f\u007f]/;
/* eslint-disable-next-line no-control-regex -- control characters are what it escapes */
const ESCAPED = /[%{}:\u0000-\u001f\u007f]/g;
const RESERVED = /^(?:redisson_|bedrock_)/;

/**
 * Checks a lock name that goes to the backend verbatim.
 * @throws InvalidOptionError naming `field`: empty, longer than 512, control characters, lone
 * surrogates, unbalanced or nested braces (they break cluster slots). Also for a prefix that the
 * wire format reserves
 */
export function checkName(field: string, name: unknown): string {
  if (typeof name !== 'string') throw new InvalidOptionError(field, 'a string', name);
  if (name.length === 0) throw new InvalidOptionError(field, 'a non-empty string', name);
  checkText(field, name);
  checkBraces(field, name);
  if (RESERVED.test(name))
    throw new InvalidOptionError(field, 'a name that does not begin with "redisson_" or "bedrock_"', name);
  return name;
}

/** Checks a prefix: like a name, but it may be empty. */
export function checkPrefix(field: string, prefix: unknown): string {
  return prefix === '' ? '' : checkName(field, prefix);
}

/**
 * Joins a name with key parts: `name:part:part`. Parts are percent-encoded (`% { } :` and
 * controls), so different parts never give the same resource.
 * @throws InvalidOptionError when there is no part, or the result is too long. Also when a part is
 * empty, or not a string, finite number, bigint or boolean
 */
export function narrow(name: string, parts: readonly unknown[]): string {
  if (parts.length === 0) throw new InvalidOptionError('key', 'at least one part', undefined);
  let resource = name;
  for (const part of parts) resource += `:${escapePart(part)}`;
  return checkLength(resource);
}

function checkLength(resource: string): string {
  if (resource.length <= MAX_NAME_LENGTH) return resource;
  throw new InvalidOptionError('key', `at most ${MAX_NAME_LENGTH} characters with the lock name`, resource);
}

/**
 * Joins a name with parts of which some may be missing: `name:part::part`. The number of colons
 * equals the number of parts, so a missing part is never mistaken for a present one.
 * @throws InvalidOptionError as `narrow`
 */
export function narrowInPlaces(name: string, parts: readonly unknown[]): string {
  const resource = [name, ...parts.map((part) => (part === undefined ? '' : escapePart(part)))].join(':');
  return checkLength(resource);
}

/** One key part, percent-encoded. */
export function escapePart(part: unknown): string {
  const text =
    typeof part === 'number' || typeof part === 'bigint' || typeof part === 'boolean' ? String(part) : part;
  if (typeof text !== 'string')
    throw new InvalidOptionError('key', 'a string, number, bigint or boolean', part);
  if (typeof part === 'number' && !Number.isFinite(part))
    throw new InvalidOptionError('key', 'a finite number', part);
  if (text.length === 0) throw new InvalidOptionError('key', 'a non-empty string', part);
  if (text.length > MAX_NAME_LENGTH)
    throw new InvalidOptionError('key', `at most ${MAX_NAME_LENGTH} characters`, part);
  if (!text.isWellFormed())
    throw new InvalidOptionError('key', 'well-formed text (no lone surrogates)', part);
  return text.replace(
    ESCAPED,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Printable, well-formed text of at most 512 characters: a label, or a part of a name. */
export function checkText(field: string, text: unknown): string {
  if (typeof text !== 'string') throw new InvalidOptionError(field, 'a string', text);
  if (text.length > MAX_NAME_LENGTH)
    throw new InvalidOptionError(field, `at most ${MAX_NAME_LENGTH} characters`, text);
  if (CONTROL.test(text)) throw new InvalidOptionError(field, 'text without control characters', text);
  if (!text.isWellFormed())
    throw new InvalidOptionError(field, 'well-formed text (no lone surrogates)', text);
  return text;
}

function checkBraces(field: string, text: string): void {
  let isInside = false;
  for (const char of text) {
    if (char !== '{' && char !== '}') continue;
    if ((char === '{') === isInside)
      throw new InvalidOptionError(field, 'text with balanced, unnested braces', text);
    isInside = !isInside;
  }
  if (isInside || text.includes('{}'))
    throw new InvalidOptionError(field, 'text with balanced, non-empty braces', text);
}
