import { Redis, type RedisOptions as ConnectionOptions } from 'ioredis';

/** Where the Redis is: a `url`, a `connection` or both; or else a `client`. */
export interface RedisPlace {
  /** `redis://user:password@host:6379/0`, `rediss://…`, or the path of a Unix socket. */
  readonly url?: string;
  /** Options of ioredis: host, port, tls, sentinels and the like. What Bedrock sets itself is refused here. */
  readonly connection?: ConnectionOptions;
  /** A client of ioredis 5.3 or newer, or 6. It is only read: Bedrock makes connections of its own with its options. */
  readonly client?: Redis;
}

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
  // Bedrock destroys the stream itself; the client's own timer for that would outlive `close()`.
  disconnectTimeout: 1,
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
export function createClient({ url, connection, client }: RedisPlace): Redis {
  if (client !== undefined) return client.duplicate(BEDROCK_CLIENT_OPTIONS);
  const options = { ...connection, ...BEDROCK_CLIENT_OPTIONS };
  return url === undefined ? new Redis(options) : new Redis(url, options);
}
