import type { Redis, RedisOptions as ConnectionOptions } from 'ioredis';
import type { Clock } from '../../../core/clock.js';
import { notSent } from '../connection/failures.js';
import { IoredisLink } from './ioredis-link.js';
import {
  reconnectPauseMs,
  type LinkFactory,
  type RedisLinkTarget,
  type RedisLink,
} from '../connection/link.js';

/**
 * What Bedrock needs of its own connections, whatever the user's are like: nothing is re-sent, nothing is queued while
 * the connection is down, names go verbatim, and replies have one shape.
 */
export const IOREDIS_SETTINGS = {
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
  retryStrategy: reconnectPauseMs,
} satisfies ConnectionOptions;

/** The client waits for ever for a Sentinel that accepts connections and says nothing, and asks no other, in ms. */
const SENTINEL_TIMEOUT_MS = 500;

/** Links through a client of the user's, or through ioredis as it is installed, which is loaded by the first link. */
export class IoredisLinks implements LinkFactory {
  /** Never connects; its options say where the links lead. */
  #origin: Promise<Redis> | undefined;

  constructor(
    private readonly makeOrigin: () => Promise<Redis>,
    private readonly clock: Clock,
  ) {}

  create(target?: RedisLinkTarget): RedisLink {
    const makeClient = async (): Promise<Redis> => {
      this.#origin ??= this.makeOrigin();
      const origin = await this.#origin;
      const { sentinelCommandTimeout = SENTINEL_TIMEOUT_MS } = origin.options;
      return origin.duplicate({
        ...IOREDIS_SETTINGS,
        sentinelCommandTimeout,
        ...(target && optionsOf(target)),
      });
    };
    return new IoredisLink(makeClient, this.clock, target?.isSharded === true);
  }
}

/** A client of ioredis as it is installed, which does not connect. @throws BackendUnavailableError when it is not */
export async function loadIoredis(url: string | undefined, connection: ConnectionOptions): Promise<Redis> {
  const { Redis } = await import('ioredis').catch((error: unknown) => {
    throw notSent(
      'ioredis cannot be loaded: install it, or give redis() a client of node-redis or iovalkey',
      error,
    );
  });
  const options = { ...connection, ...IOREDIS_SETTINGS };
  // The same under two names.
  return url === undefined ? new Redis(options) : new Redis(url.replace(/^valkey(?=s?:)/, 'redis'), options);
}

function optionsOf({ host, port, database, credentials, tls }: RedisLinkTarget): ConnectionOptions {
  return {
    host,
    port,
    path: '',
    sentinels: undefined,
    ...(database !== undefined && { db: database }),
    ...(credentials && { username: credentials.username, password: credentials.password }),
    ...(tls !== undefined && { tls: tls || undefined }),
  };
}
