import { UsageError } from './usage-error.js';

/** A whole number from 1 on. @throws UsageError naming the option */
export function parseCount(option: string, text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count >= 1) return count;
  throw new UsageError(`${option} must be a whole number from 1; got ${JSON.stringify(text)}`);
}
