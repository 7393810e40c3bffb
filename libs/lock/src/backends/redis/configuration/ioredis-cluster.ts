import type { Cluster, RedisOptions as ConnectionOptions } from 'ioredis';
import type { Clock } from '../../../core/clock.js';
import { InvalidOptionError } from '../../../core/errors.js';
import { IoredisLinks, loadIoredis } from '../clients/ioredis-links.js';
import { parseServer, type ClusterAddress } from './cluster-address.js';
import type { ClusterLocation } from './cluster-location.js';
import type { NatMap } from './slot-map.js';

/** The part of a Cluster of ioredis that is read. */
interface IoredisCluster {
  /** Servers to start with: options, URLs or ports. */
  readonly startupNodes: readonly (
    string | number | { readonly host?: string; readonly port?: number | string }
  )[];
  readonly options: { readonly redisOptions?: ConnectionOptions; readonly natMap?: NatMap };
}

const LOCAL = '127.0.0.1';
const DEFAULT_PORT = 6_379;

/**
 * Where a Cluster of ioredis leads. It is only read: Bedrock makes its own connections with its
 * `redisOptions`.
 */
export function locationOfIoredisCluster(client: Cluster, clock: Clock): ClusterLocation {
  const { startupNodes, options } = client as unknown as IoredisCluster;
  const { redisOptions = {}, natMap } = options;
  const seeds = startupNodes.map((node, i) => {
    return parseServer(`client.startupNodes[${i}]`, addressOf(node)).address;
  });
  if (seeds.length === 0) throw new InvalidOptionError('client', 'a Cluster with start nodes', client);
  const { db: _db, ...connection } = redisOptions;
  return { seeds, natMap, links: new IoredisLinks(() => loadIoredis(undefined, connection), clock) };
}

function addressOf(node: IoredisCluster['startupNodes'][number]): ClusterAddress {
  if (typeof node === 'string') return node;
  const { host = LOCAL, port = DEFAULT_PORT } = typeof node === 'number' ? { port: node } : node;
  return { host, port: Number(port) };
}
