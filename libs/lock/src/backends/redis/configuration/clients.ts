import type { Cluster, Redis, RedisOptions as ConnectionOptions } from 'ioredis';
import type { ClusterAddress } from './cluster-address.js';
import type { NodeRedisCluster } from './node-redis-cluster.js';
import type { NatMap } from './slot-map.js';
import type { NodeRedisClient } from '../clients/node-redis-client.js';

/** A client of ioredis 5.3 or newer, or 6, of iovalkey, or of node-redis 5 or 6. */
export type RedisClient = SingleClient | Cluster | NodeRedisCluster;
/** A client for one server, or for one primary behind Sentinels. */
export type SingleClient = Redis | IoredisCompatibleClient | NodeRedisClient;

/** A client of a library derived from ioredis, such as iovalkey: its classes are others. */
export interface IoredisCompatibleClient {
  readonly isCluster: boolean;
  readonly options: object;
  duplicate(...args: never[]): unknown;
  call(...args: never[]): unknown;
}

/**
 * Where the Redis is: a `url`, a `connection` or both, through ioredis; or else a `client`. Or a
 * `cluster`: then `connection`, or a `client` for one server, gives the options that its servers
 * share.
 */
export interface RedisLocation {
  /**
   * `redis://user:password@host:6379/0`, `rediss://…`, `valkey://…`, `valkeys://…`, or the path of
   * a Unix socket.
   */
  readonly url?: string;
  /**
   * Options of ioredis: host, port, tls, sentinels and the like. Options that Bedrock sets itself
   * are refused.
   */
  readonly connection?: ConnectionOptions;
  /**
   * Only read: Bedrock makes its own connections with the library and the options of this client.
   */
  readonly client?: RedisClient;
  /** Some servers of a Redis Cluster (Redis 7 or newer), through which the others are found. */
  readonly cluster?: readonly ClusterAddress[];
  /** Maps addresses that the `cluster` reports to reachable ones, as in ioredis. */
  readonly natMap?: NatMap;
}

/** A single client of ioredis, or a Cluster of it. */
export function isIoredisClient(value: unknown): value is Redis | Cluster {
  return hasMethods(value, 'duplicate', 'call');
}

/** A client for a whole cluster. */
export function isClusterClient(value: unknown): value is Cluster | NodeRedisCluster {
  if (isIoredisClient(value)) return (value as unknown as Cluster).isCluster;
  return hasMethods(value, 'duplicate', 'nodeClient') && '_options' in (value as object);
}

/**
 * A single client of node-redis 5 or 6. A Cluster, Sentinel or pool has no subscriptions of its
 * own.
 */
export function isNodeRedisClient(value: unknown): value is NodeRedisClient {
  return (
    hasMethods(value, 'duplicate', 'withTypeMapping') &&
    typeof (value as Partial<NodeRedisClient>).isPubSubActive === 'boolean'
  );
}

function hasMethods(value: unknown, ...names: string[]): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
  );
}
