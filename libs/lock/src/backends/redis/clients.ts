import { Redis, type RedisOptions as ConnectionOptions } from 'ioredis';
import type { RedisOptions } from './redis-options.js';

/**
 * What Bedrock needs of its own connections, whatever the user's are like: nothing is re-sent, nothing is queued while
 * the connection is down, names go verbatim, and replies have one shape.
 */
export const BEDROCK_CLIENT_OPTIONS = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  autoResubscribe: false,
  lazyConnect: true,
  // What the opening of a connection finds out serves better: it also works for a user who may not ask INFO.
  enableReadyCheck: false,
  // Calls of a lost connection fail at once.
  maxRetriesPerRequest: 0,
  enableAutoPipelining: false,
  keyPrefix: '',
  readOnly: false,
  stringNumbers: false,
  replyMapping: 'legacy',
  monitor: false,
  connectionName: 'bedrock',
  commandTimeout: undefined,
  blockingTimeout: undefined,
  socketTimeout: undefined,
  reconnectOnError: null,
  himportFieldsets: undefined,
  scripts: undefined,
  retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times - 1, 10), 1_000),
} satisfies ConnectionOptions;

/** A connection of Bedrock's own to where the options lead. It connects when told to. */
export function createClient({
  url,
  connection,
  client,
}: Pick<RedisOptions, 'url' | 'connection' | 'client'>): Redis {
  if (client !== undefined) return client.duplicate(BEDROCK_CLIENT_OPTIONS);
  const options = { ...connection, ...BEDROCK_CLIENT_OPTIONS };
  return url === undefined ? new Redis(options) : new Redis(url, options);
}
