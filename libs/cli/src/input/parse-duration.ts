import { UsageError } from './usage-error.js';

const UNIT_MS: Readonly<Partial<Record<string, number>>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The longest timer of Node, in ms. */
const MAX_MS = 2 ** 31 - 1;

/**
 * A time with its unit: `500ms`, `2.5s`, `10m`, `1h`.
 * @returns ms @throws UsageError naming the option
 */
export function parseDuration(option: string, text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (number === undefined || unitMs === undefined)
    throw new UsageError(
      `${option} must be a time such as 500ms, 30s, 10m or 1h; got ${JSON.stringify(text)}`,
    );
  const ms = Math.round(Number(number) * unitMs);
  if (ms > MAX_MS) throw new UsageError(`${option} must be at most 24 days; got ${text}`);
  return ms;
}
