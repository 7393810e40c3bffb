import type { RedisOptions as ConnectionOptions } from 'ioredis';
import { systemClock, type Clock } from '../../../core/clock.js';
import { InvalidOptionError } from '../../../core/errors.js';
import { checkText } from '../../../core/key.js';
import {
  checkBoolean,
  checkClock,
  checkFields,
  checkObject,
  checkOneOf,
  checkWhole,
} from '../../../core/checks.js';
import {
  isClusterClient,
  isIoredisClient,
  isNodeRedisClient,
  type RedisClient,
  type RedisLocation,
} from './clients.js';
import { IOREDIS_SETTINGS } from '../clients/ioredis-links.js';
import { resolveCluster } from './resolve-cluster.js';
import type { ClusterLocation } from './cluster-location.js';
import { nodeIdOf } from './node-id.js';
import { linkFactoryFor, type ServerLocation } from './link-factory.js';
import type { LinkFactory } from '../connection/link.js';
import {
  resolveReplicaAcks,
  type ReplicaAckOptions,
  type ReplicaAckSettings,
} from '../protocol/replica-acks.js';

export interface RedisOptions extends RedisLocation {
  /** Shown as the label of the holder. */
  readonly label?: string;
  /**
   * Names the server as a node of a combination; the same in every process.
   * @default host:port/database, or the other address that the options give
   */
  readonly nodeId?: string;
  /**
   * Longest call, in ms. A connection that stays silent for this long is replaced; `ready()` waits
   * five times as long. @default 1000
   */
  readonly operationTimeoutMs?: number;
  /**
   * Longest lease, in ms; the same for all processes with `restartGuard`. With the guard, a
   * restarted server grants nothing for this long. @default 300000, and 30000 with `restartGuard`
   */
  readonly maxLeaseMs?: number;
  /**
   * Grants nothing for `maxLeaseMs` after the server restarted or lost its data. Without it, a
   * Redis that loses data may grant a lock that is still in use. @default false
   */
  readonly restartGuard?: boolean;
  /**
   * With `restartGuard`, for a server that was never guarded: `wait` for `maxLeaseMs` too, or
   * `trust` that no lock is in use (the first start, demos, tests). @default 'wait'
   */
  readonly coldStart?: 'wait' | 'trust';
  /** Refuses a server that may evict locks, instead of warning. @default false */
  readonly strict?: boolean;
  /**
   * Where fencing tokens come from: one counter for the database (`shared`), or one `perLock`. The
   * latter is the key of Redisson's RFencedLock, so that tokens grow across both. Such keys never
   * expire. @default 'shared'
   */
  readonly tokens?: 'shared' | 'perLock';
  /**
   * A lock is granted only once this many replicas have the grant too. Otherwise the claim fails as
   * unavailable, and the grant is withdrawn. A failover may still lose a lock: this makes it rarer,
   * not impossible. @default none
   */
  readonly replicaAcks?: ReplicaAckOptions;
  /** @default the system clock */
  readonly clock?: Clock;
}

/** The checked options. */
export interface RedisSettings {
  /** Makes links to the server of the options, or with the same options to other addresses. */
  readonly links: LinkFactory;
  /** The cluster of the options, if any. */
  readonly cluster: ClusterLocation | undefined;
  readonly label: string | undefined;
  /** '' if the options do not name the server. */
  readonly nodeId: string;
  readonly operationTimeoutMs: number;
  /** A connection that stays silent for this long is replaced, in ms. */
  readonly silenceMs: number;
  readonly maxLeaseMs: number;
  readonly restartGuard: boolean;
  readonly coldStart: 'wait' | 'trust';
  readonly strict: boolean;
  readonly tokens: 'shared' | 'perLock';
  readonly replicaAcks: ReplicaAckSettings | undefined;
  readonly clock: Clock;
}

const FIELDS: ReadonlySet<string> = new Set<keyof RedisOptions>([
  'url', 'connection', 'client', 'cluster', 'natMap', 'label', 'nodeId', 'operationTimeoutMs', 'maxLeaseMs', 'restartGuard', 'coldStart', 'strict', 'tokens', 'replicaAcks', 'clock',
]); // prettier-ignore
/** Shortest lease, in ms: below it, a round trip takes too large a part of the lease. */
export const MIN_LEASE_MS = 50;

/**
 * Checks the options of `redis()` without connecting. @throws InvalidOptionError naming the field
 */
export function resolveRedisOptions(given: string | RedisClient | RedisOptions): RedisSettings {
  const options: RedisOptions =
    typeof given === 'string' ? { url: given } : isClient(given) ? { client: given } : given;
  checkFields('options', options, FIELDS);
  const { label, coldStart = 'wait', tokens = 'shared', clock: givenClock = systemClock } = options;
  const { operationTimeoutMs = 1_000, restartGuard = false, strict = false } = options;
  const { maxLeaseMs = restartGuard === true ? 30_000 : 300_000 } = options;
  checkConnectionOptions(options);
  const clock = checkClock('clock', givenClock);
  const cluster = resolveCluster(options, clock);
  if (!isOneConnection(options, cluster !== undefined))
    throw new InvalidOptionError('options', 'given a url, a connection or else a client', given);
  if (label !== undefined) checkText('label', label);
  if (options.nodeId !== undefined) checkText('nodeId', options.nodeId);
  checkOneOf('coldStart', coldStart, ['wait', 'trust']);
  checkOneOf('tokens', tokens, ['shared', 'perLock']);
  checkWhole('operationTimeoutMs', operationTimeoutMs, 10, 60_000);
  return Object.freeze({
    links: cluster?.links ?? linkFactoryFor(options as ServerLocation, clock),
    cluster,
    label,
    nodeId: options.nodeId ?? (cluster === undefined ? nodeIdOf(options) : ''),
    operationTimeoutMs,
    silenceMs: operationTimeoutMs,
    maxLeaseMs: checkWhole('maxLeaseMs', maxLeaseMs, MIN_LEASE_MS, 2 ** 31 - 1),
    restartGuard: checkRestartGuard(restartGuard, cluster !== undefined),
    coldStart,
    strict: checkBoolean('strict', strict),
    tokens,
    replicaAcks: resolveReplicaAcks(options.replicaAcks, operationTimeoutMs),
    clock,
  });
}

function checkConnectionOptions({ url, connection, client }: RedisLocation): void {
  if (url !== undefined) checkUrl(url);
  if (connection !== undefined) checkConnection(connection);
  if (client !== undefined) checkClient(client);
}

/** A `cluster` gives the addresses; at most one other option says how to connect. */
function isOneConnection({ url, connection, client }: RedisLocation, isCluster: boolean): boolean {
  const isHowGiven = url !== undefined || connection !== undefined;
  const isClientGiven = client !== undefined;
  return isCluster ? !(isHowGiven && isClientGiven) : isHowGiven !== isClientGiven;
}

/**
 * The guard watches one run of one server. In a cluster, slots move between servers, and a failover
 * always brings another run.
 */
function checkRestartGuard(restartGuard: unknown, isCluster: boolean): boolean {
  if (checkBoolean('restartGuard', restartGuard) && isCluster)
    throw new InvalidOptionError('restartGuard', 'false on a cluster, where slots change servers', true);
  return restartGuard as boolean;
}

// Never shows the URL in an error: it may contain a password.
function checkUrl(url: unknown): void {
  if (typeof url !== 'string') throw new InvalidOptionError('url', 'a string', url);
  if (url.startsWith('/')) return;
  const { protocol, searchParams } = new URL(URL.canParse(url) ? url : 'none:');
  for (const field of searchParams.keys()) {
    if (field in IOREDIS_SETTINGS) {
      throw new InvalidOptionError(`url?${field}`, 'left out, since Bedrock sets it', 'a value');
    }
  }
  if (!/^(redis|valkey)s?:$/.test(protocol)) {
    throw new InvalidOptionError(
      'url',
      'redis://host:port, rediss://, valkey://, valkeys:// or the path of a socket',
      `${url.split(':', 1)[0]!.slice(0, 10)}…`,
    );
  }
}

function checkConnection(connection: ConnectionOptions): void {
  checkObject('connection', connection);
  for (const field of Object.keys(connection)) {
    if (field in IOREDIS_SETTINGS) {
      throw new InvalidOptionError(`connection.${field}`, 'left out, since Bedrock sets it', 'a value');
    }
  }
}

function checkClient(client: unknown): void {
  if (!isClient(client))
    throw new InvalidOptionError(
      'client',
      'one client of ioredis 5 or 6, of iovalkey, or of node-redis 5 or 6',
      client,
    );
}

function isClient(value: unknown): value is RedisClient {
  return isIoredisClient(value) || isNodeRedisClient(value) || isClusterClient(value);
}
