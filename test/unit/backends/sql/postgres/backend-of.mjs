/** The backend of the contract. Plain JavaScript, since the processes of the contract load it too. */
import { postgres } from 'bedrock-lock/postgres';

/**
 * @param {string} url
 * @param {import('bedrock-lock/postgres').PostgresOptions} [options]
 */
export function backendOf(url, options) {
  return postgres({ ...options, url });
}
