import { inspect } from 'node:util';

/** A password, a key, or a part of a URL that must never be shown. */
export const MARK = 'hush4f1c9a77';
export const SECRET = Buffer.from(MARK.padEnd(32, MARK).slice(0, 32));
/** As text, and in the display formats of bytes: decimal, hexadecimal, base64. */
const HEAD = [...SECRET.subarray(0, 6)];
const SIGNS = [
  MARK,
  HEAD.join(','),
  HEAD.map((byte, at) => `"${at}":${byte}`).join(','),
  HEAD.map((byte) => byte.toString(16)).join(''),
  SECRET.toString('base64').slice(0, 8),
];

/** Every form in which a person, a log or a debugger may see a value. */
function shown(value: unknown): string {
  const seen = new WeakSet<object>();
  const json = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint' || typeof part === 'function') return String(part);
    if (typeof part !== 'object' || part === null) return part;
    if (seen.has(part)) return undefined;
    seen.add(part);
    return part;
  });
  const everything = {
    depth: Infinity,
    maxArrayLength: Infinity,
    maxStringLength: Infinity,
    showHidden: true,
  };
  const chain: string[] = [];
  for (let one = value; one instanceof Error; one = one.cause) chain.push(one.message, one.stack ?? '');
  return [json, inspect(value, everything), inspect(value), ...chain].join('\n');
}

/** Where the value shows a secret; empty if it does not. */
export function secretsIn(value: unknown): string[] {
  // Bytes are shown in columns.
  const text = shown(value).replaceAll(/\s+/g, '');
  return SIGNS.filter((sign) => text.includes(sign)).map((sign) => {
    const at = text.indexOf(sign);
    return text.slice(Math.max(0, at - 120), at + 40);
  });
}
