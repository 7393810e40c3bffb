/** What the processes of the contract load too: plain JavaScript. */
import { mysql } from 'bedrock-lock/mysql';

/** @typedef {import('bedrock-lock/mysql').MysqlOptions} MysqlOptions */

/** Rows go soon after their last use: the contract looks whether they do. */
const KEEP_ROWS_MS = 200;

/**
 * @param {string} url
 * @param {Omit<MysqlOptions, 'url' | 'connection'>} [options]
 */
export function backendOf(url, options) {
  return mysql({ keepRowsMs: KEEP_ROWS_MS, ...options, url });
}

/** @param {string} url */
export async function prepare(url) {
  const backend = mysql(url);
  await backend.ensureSchema();
  await backend.close();
}
