import type { RedisOptions as ConnectionOptions } from 'ioredis';
import type { Clock } from '../../../core/clock.js';
import { InvalidOptionError } from '../../../core/errors.js';
import { isClusterClient, isIoredisClient, type RedisLocation } from './clients.js';
import { linkFactoryFor } from './link-factory.js';
import { parseServer, type ClusterAddress } from './cluster-address.js';
import { locationOfIoredisCluster } from './ioredis-cluster.js';
import { locationOfNodeRedisCluster } from './node-redis-cluster.js';
import type { ClusterLocation } from './cluster-location.js';
import type { NatMap } from './slot-map.js';

/** Options that a cluster defines per server. */
const PER_SERVER_OPTIONS: readonly (keyof ConnectionOptions)[] = [
  'host',
  'port',
  'path',
  'db',
  'sentinels',
  'name',
];

/**
 * The cluster of the options; undefined if they name none. @throws InvalidOptionError naming the
 * field
 */
export function resolveCluster(location: RedisLocation, clock: Clock): ClusterLocation | undefined {
  const { url, cluster, connection, client, natMap } = location;
  if (isClusterClient(client)) {
    const others = [url, cluster, connection, natMap];
    if (others.some((other) => other !== undefined))
      throw new InvalidOptionError('client', 'the only one of these options when it is a Cluster', client);
    return isIoredisClient(client)
      ? locationOfIoredisCluster(client, clock)
      : locationOfNodeRedisCluster(client, clock);
  }
  if (cluster === undefined) {
    if (natMap === undefined) return undefined;
    throw new InvalidOptionError('natMap', 'left out where there is no `cluster`', natMap);
  }
  if (url !== undefined)
    throw new InvalidOptionError('url', 'left out where there is a `cluster`', 'a value');
  if (natMap !== undefined) checkNatMap(natMap);
  for (const field of PER_SERVER_OPTIONS) {
    if (connection?.[field] !== undefined)
      throw new InvalidOptionError(`connection.${field}`, 'left out: `cluster` says where', 'a value');
  }
  const { seeds, access } = parseServers(cluster);
  const how = client === undefined ? { connection: { ...access, ...connection } } : { client };
  return { seeds, natMap, links: linkFactoryFor(how, clock) };
}

function parseServers(given: readonly ClusterAddress[]) {
  if (!Array.isArray(given) || given.length === 0)
    throw new InvalidOptionError('cluster', 'a list of at least one server', given);
  const servers = given.map((one: ClusterAddress, i) => parseServer(`cluster[${i}]`, one));
  const [access, ...others] = servers.map((server) => JSON.stringify(server.access));
  const odd = others.findIndex((other) => other !== access);
  if (odd >= 0)
    throw new InvalidOptionError(`cluster[${odd + 1}]`, 'with the protocol and user of the first', 'others');
  return { seeds: servers.map(({ address }) => address), access: servers[0]!.access };
}

function checkNatMap(natMap: NatMap): void {
  if (typeof natMap === 'function') return;
  const isMap =
    typeof natMap === 'object' &&
    natMap !== null &&
    Object.values(natMap).every(
      (to) => typeof to?.host === 'string' && Number.isInteger(to.port) && to.port > 0 && to.port < 65_536,
    );
  if (!isMap)
    throw new InvalidOptionError('natMap', "a function or { 'host:port': { host, port }, … }", natMap);
}
