import type { Redis, RedisOptions as ConnectionOptions } from 'ioredis';
import { systemClock, type Clock } from '../../core/clock.js';
import { InvalidOptionError } from '../../core/errors.js';
import { checkText } from '../../core/key.js';
import { checkBoolean, checkClock, checkFields, checkObject, checkWhole } from '../../core/options.js';
import { BEDROCK_CLIENT_OPTIONS, type RedisPlace } from './clients.js';

export interface RedisOptions extends RedisPlace {
  /** Shown as the holder's label. */
  readonly label?: string;
  /**
   * Bound on every call, in ms. A connection that says nothing for so long is replaced; `ready()` waits five times as
   * long. @default 1000
   */
  readonly operationTimeoutMs?: number;
  /** Longest lease, in ms; the same for all processes where `restartGuard` is on. @default 30000 */
  readonly maxLeaseMs?: number;
  /**
   * Grant nothing for `maxLeaseMs` after the server was restarted or has lost its data. Without it, a Redis that loses
   * data may grant a lock that is still in use. @default false
   */
  readonly restartGuard?: boolean;
  /**
   * With `restartGuard`, a server that has never been guarded: `wait` for `maxLeaseMs` too, or `trust` that no lock is in
   * use (the first start, demos, tests). @default 'wait'
   */
  readonly coldStart?: 'wait' | 'trust';
  /** Refuse a server that may evict locks, instead of a warning. @default false */
  readonly strict?: boolean;
  /**
   * Where fencing tokens come from: one counter for the database (`shared`), or one `perLock`, in the key of Redisson's
   * RFencedLock, so that tokens grow across both. Such keys stay for ever. @default 'shared'
   */
  readonly tokens?: 'shared' | 'perLock';
  /** @default the system's */
  readonly clock?: Clock;
}

/** The checked options. */
export interface RedisTerms {
  readonly place: RedisPlace;
  readonly label: string | undefined;
  readonly operationTimeoutMs: number;
  readonly maxLeaseMs: number;
  readonly restartGuard: boolean;
  readonly coldStart: 'wait' | 'trust';
  readonly strict: boolean;
  readonly tokens: 'shared' | 'perLock';
  readonly clock: Clock;
}

const FIELDS: ReadonlySet<string> = new Set<keyof RedisOptions>([
  'url', 'connection', 'client', 'label', 'operationTimeoutMs', 'maxLeaseMs', 'restartGuard', 'coldStart', 'strict', 'tokens', 'clock',
]); // prettier-ignore
/** Shortest lease, in ms: below it, a trip to the server is no small part of the lease. */
export const MIN_LEASE_MS = 50;

/** Checks what was given to `redis()`. Nothing is connected. @throws InvalidOptionError naming the field */
export function resolveRedisOptions(given: string | Redis | RedisOptions): RedisTerms {
  const options: RedisOptions =
    typeof given === 'string' ? { url: given } : isClient(given) ? { client: given } : given;
  checkFields('options', options, FIELDS);
  const {
    url,
    connection,
    client,
    label,
    coldStart = 'wait',
    tokens = 'shared',
    clock = systemClock,
  } = options;
  const { operationTimeoutMs = 1_000, maxLeaseMs = 30_000, restartGuard = false, strict = false } = options;
  if (url !== undefined) checkUrl(url);
  if (connection !== undefined) checkConnection(connection);
  if (client !== undefined) checkClient(client);
  if ((url === undefined && connection === undefined) === (client === undefined)) {
    throw new InvalidOptionError('options', 'given a url, a connection or else a client', given);
  }
  if (label !== undefined) checkText('label', label);
  if (coldStart !== 'wait' && coldStart !== 'trust') {
    throw new InvalidOptionError('coldStart', "'wait' or 'trust'", coldStart);
  }
  if (tokens !== 'shared' && tokens !== 'perLock') {
    throw new InvalidOptionError('tokens', "'shared' or 'perLock'", tokens);
  }
  checkClock('clock', clock);
  return Object.freeze({
    place: { ...(url && { url }), ...(connection && { connection }), ...(client && { client }) },
    label,
    operationTimeoutMs: checkWhole('operationTimeoutMs', operationTimeoutMs, 10, 60_000),
    maxLeaseMs: checkWhole('maxLeaseMs', maxLeaseMs, MIN_LEASE_MS, 2 ** 31 - 1),
    restartGuard: checkBoolean('restartGuard', restartGuard),
    coldStart,
    strict: checkBoolean('strict', strict),
    tokens,
    clock,
  });
}

// Never shows the URL in an error: it may contain a password.
function checkUrl(url: unknown): void {
  if (typeof url !== 'string') throw new InvalidOptionError('url', 'a string', url);
  if (url.startsWith('/')) return;
  const { protocol, searchParams } = new URL(URL.canParse(url) ? url : 'none:');
  for (const field of searchParams.keys()) {
    if (field in BEDROCK_CLIENT_OPTIONS) {
      throw new InvalidOptionError(`url?${field}`, 'left out, since Bedrock sets it', 'a value');
    }
  }
  if (!/^rediss?:$/.test(protocol)) {
    throw new InvalidOptionError(
      'url',
      'redis://host:port, rediss://host:port or the path of a socket',
      `${url.split(':', 1)[0]!.slice(0, 10)}…`,
    );
  }
}

function checkConnection(connection: ConnectionOptions): void {
  checkObject('connection', connection);
  for (const field of Object.keys(connection)) {
    if (field in BEDROCK_CLIENT_OPTIONS) {
      throw new InvalidOptionError(`connection.${field}`, 'left out, since Bedrock sets it', 'a value');
    }
  }
}

function checkClient(client: unknown): void {
  if (!isClient(client) || client.isCluster) {
    throw new InvalidOptionError('client', 'a client of ioredis 5 or 6 that is no Cluster', client);
  }
}

function isClient(value: unknown): value is Redis {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Redis).duplicate === 'function' &&
    typeof (value as Redis).call === 'function'
  );
}
