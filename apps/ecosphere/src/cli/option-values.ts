import { UsageError } from './usage.error.js';

/** A whole number, written in digits, within a range. @throws UsageError that names it */
export function wholeNumber(
  name: string,
  text: string,
  [min, max]: readonly [min: number, max: number],
  hint?: string,
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${name} must be a whole number from ${min} to ${max}; got "${text}"`, hint);
}

/** The URL of a Redis server. What was given is not repeated: it may contain a password. @throws UsageError */
export function redisUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${name} must be a Redis URL`, `${name} redis://127.0.0.1:6379`);
}
