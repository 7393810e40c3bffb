import type { Clock } from '../../../core/clock.js';
import { InvalidOptionError } from '../../../core/errors.js';
import type { LinkFactory } from '../connection/link.js';
import type { NodeRedisClient } from '../clients/node-redis-client.js';
import { NodeRedisLinks } from '../clients/node-redis-links.js';
import { PendingLinks } from '../clients/pending-links.js';
import { parseServer, type ClusterAddress } from './cluster-address.js';
import type { ClusterLocation } from './cluster-location.js';
import type { NatMap } from './slot-map.js';

/** A Cluster of node-redis 5 or 6 as the user made it. */
export interface NodeRedisCluster {
  readonly masters: readonly unknown[];
  duplicate(overrides?: object): unknown;
  nodeClient(node: never): unknown;
}

interface RootNode {
  readonly url?: string;
  readonly socket?: { readonly host?: string; readonly port?: number };
}

/** The part of its options that is read. */
interface NodeRedisClusterOptions {
  readonly rootNodes: readonly RootNode[];
  readonly nodeAddressMap?: NatMap;
}

/** The part of a duplicate that is used. */
interface ClusterDuplicate {
  readonly masters: readonly unknown[];
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  nodeClient(node: unknown): NodeRedisClient | Promise<NodeRedisClient>;
  destroy(): void;
}

/**
 * Where a Cluster of node-redis leads. Neither the Cluster nor its connections are used. A
 * duplicate finds one server and gives a client for it, which Bedrock duplicates for its own
 * connections.
 */
export function locationOfNodeRedisCluster(cluster: NodeRedisCluster, clock: Clock): ClusterLocation {
  const { rootNodes, nodeAddressMap } = (cluster as unknown as { readonly _options: NodeRedisClusterOptions })
    ._options;
  const seeds = rootNodes.map((node, i) => parseServer(`client.rootNodes[${i}]`, addressOf(node)).address);
  if (seeds.length === 0) throw new InvalidOptionError('client', 'a Cluster with root nodes', cluster);
  return {
    seeds,
    natMap: nodeAddressMap,
    links: new PendingLinks(() => linkFactoryOf(cluster, clock), clock),
  };
}

function addressOf({ url, socket = {} }: RootNode): ClusterAddress {
  const { host = 'localhost', port = 6_379 } = socket;
  return url ?? { host, port };
}

async function linkFactoryOf(cluster: NodeRedisCluster, clock: Clock): Promise<LinkFactory> {
  const duplicate = cluster.duplicate({ minimizeConnections: true }) as ClusterDuplicate;
  duplicate.on('error', () => undefined);
  try {
    await duplicate.connect();
    const client = await duplicate.nodeClient(duplicate.masters[0]);
    return new NodeRedisLinks(client.duplicate() as NodeRedisClient, clock);
  } finally {
    duplicate.destroy();
  }
}
