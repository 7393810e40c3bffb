import type { Cluster, Redis, RedisOptions as ConnectionOptions } from 'ioredis';
import type { ClusterAddress } from './cluster-address.js';
import type { NodeRedisCluster } from './node-redis-cluster.js';
import type { NatMap } from './slot-map.js';
import type { NodeRedisClient } from '../clients/node-redis-client.js';

/** A client of ioredis 5.3 or newer, or 6, of iovalkey, or of node-redis 5 or 6. */
export type RedisClient = SingleClient | Cluster | NodeRedisCluster;
/** A client for one server, or for one primary behind Sentinels. */
export type SingleClient = Redis | IoredisCompatibleClient | NodeRedisClient;

/** A client of a library that began as ioredis, such as iovalkey: its classes are others. */
export interface IoredisCompatibleClient {
  readonly isCluster: boolean;
  readonly options: object;
  duplicate(...args: never[]): unknown;
  call(...args: never[]): unknown;
}

/**
 * Where the Redis is: a `url`, a `connection` or both, through ioredis; or else a `client`. Or a `cluster`, with what all of
 * its servers have in common in `connection` or in a `client` for one server.
 */
export interface RedisLocation {
  /** `redis://user:password@host:6379/0`, `rediss://…`, `valkey://…`, `valkeys://…`, or the path of a Unix socket. */
  readonly url?: string;
  /** Options of ioredis: host, port, tls, sentinels and the like. What Bedrock sets itself is refused here. */
  readonly connection?: ConnectionOptions;
  /** It is only read: Bedrock makes connections of its own, with its library and its options. */
  readonly client?: RedisClient;
  /** Some servers of a Redis Cluster (Redis 7 or newer). The others are found through them. */
  readonly cluster?: readonly ClusterAddress[];
  /** Where the servers of the `cluster` are reached, if not at the addresses that it gives: as ioredis has it. */
  readonly natMap?: NatMap;
}

/** A single client of ioredis or one of its Clusters. */
export function isIoredisClient(value: unknown): value is Redis | Cluster {
  return hasMethods(value, 'duplicate', 'call');
}

/** A client for a whole cluster. */
export function isClusterClient(value: unknown): value is Cluster | NodeRedisCluster {
  if (isIoredisClient(value)) return (value as unknown as Cluster).isCluster;
  return hasMethods(value, 'duplicate', 'nodeClient') && '_options' in (value as object);
}

/** A single client of node-redis 5 or 6: no Cluster, Sentinel or pool, which have no subscriptions of their own. */
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
