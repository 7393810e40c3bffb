import { withArticle } from '../report/with-article.js';
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

/** What a URL has to be. */
interface UrlTerms {
  /** Of the server. */
  readonly title: string;
  readonly protocols: readonly string[];
  readonly hint: string;
}

/** The URL of a server. What was given is not repeated: it may contain a password. @throws UsageError */
export function serverUrl(name: string, text: string, { title, protocols, hint }: UrlTerms): string {
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
  throw new UsageError(`${name} must be ${withArticle(title)} URL`, hint);
}

export function redisUrl(name: string, text: string, hint = `${name} redis://127.0.0.1:6379`): string {
  return serverUrl(name, text, { title: 'Redis', protocols: ['redis:', 'rediss:'], hint });
}

/**
 * Refuses a REDIS_URL that names no Redis; the servers that read it would only say that it is no URL. Set to nothing, it is
 * not set.
 * @param option what may be given in its place
 */
export function checkRedisVariable({ REDIS_URL }: NodeJS.ProcessEnv, option: string): void {
  if (REDIS_URL === undefined || REDIS_URL === '') return;
  redisUrl('REDIS_URL', REDIS_URL, `set REDIS_URL to redis://127.0.0.1:6379, or give ${option} <url>`);
}
