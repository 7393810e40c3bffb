import { withArticle } from '../report/with-article.js';
import { UsageError } from './usage.error.js';

/** A whole number, written in digits, within a range. @throws UsageError that names the option */
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

/** Requirements of a URL. */
interface UrlTerms {
  /** Name of the server. */
  readonly title: string;
  readonly protocols: readonly string[];
  readonly hint: string;
}

/** The URL of a server. The message does not repeat the text: it may contain a password. @throws UsageError */
export function serverUrl(name: string, text: string, { title, protocols, hint }: UrlTerms): string {
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
  throw new UsageError(`${name} must be ${withArticle(title)} URL`, hint);
}

export function redisUrl(name: string, text: string, hint = `${name} redis://127.0.0.1:6379`): string {
  return serverUrl(name, text, { title: 'Redis', protocols: ['redis:', 'rediss:'], hint });
}

/**
 * Refuses a REDIS_URL that does not name a Redis; its readers would only say that it is no URL. An empty value counts
 * as unset.
 * @param option the option to use instead
 */
export function checkRedisVariable({ REDIS_URL }: NodeJS.ProcessEnv, option: string): void {
  if (REDIS_URL === undefined || REDIS_URL === '') return;
  redisUrl('REDIS_URL', REDIS_URL, `set REDIS_URL to redis://127.0.0.1:6379, or give ${option} <url>`);
}
