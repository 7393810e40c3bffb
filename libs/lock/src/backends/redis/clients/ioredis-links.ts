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
 * Settings of Bedrock's own connections, whatever the user's are. Nothing is re-sent, nothing is
 * queued while the connection is down, names go verbatim, and replies have one shape.
 */
export const IOREDIS_SETTINGS = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  autoResubscribe: false,
  lazyConnect: true,
  // The set-up of a connection checks more, and works for users who may not call INFO.
  enableReadyCheck: false,
  // Calls of a lost connection fail at once.
  maxRetriesPerRequest: 0,
  // Bedrock destroys the stream itself; the client's own timer for that would run on after
  // `close()`.
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

/**
 * Time-out of a Sentinel, in ms. Otherwise the client waits forever for one that accepts
 * connections but stays silent, and asks no other.
 */
const SENTINEL_TIMEOUT_MS = 500;

/**
 * Links through the user's client, or through the installed ioredis, which the first link loads.
 */
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

/**
 * An unconnected client of the installed ioredis. @throws BackendUnavailableError if it is not
 * installed
 */
export async function loadIoredis(url: string | undefined, connection: ConnectionOptions): Promise<Redis> {
  const { Redis } = await import('ioredis').catch((error: unknown) => {
    throw notSent(
      'ioredis cannot be loaded: install it, or give redis() a client of node-redis or iovalkey',
      error,
    );
  });
  const options = { ...connection, ...IOREDIS_SETTINGS };
  return url === undefined ? new Redis(options) : new Redis(knownScheme(url), options);
}

/** The `valkey:` schemes mean the same as the `redis:` ones, and ioredis knows only these, in small letters. */
function knownScheme(url: string): string {
  return url.replace(/^(?:redis|valkey)(s?):/i, (_, s: string) => `redis${s.toLowerCase()}:`);
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
