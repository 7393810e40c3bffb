import { randomUUID } from 'node:crypto';
import { redis } from 'bedrock-lock/redis';
import { redisCommand, startCluster, type RedisCluster } from 'bedrock-servers';
import { runContendersAsProcesses, type ContractHarness } from 'bedrock-testkit';
import { Cluster } from 'ioredis';
import { OPERATION_TIMEOUT_MS } from '../times.js';
import { costsOf } from '../round-trips/costs-of.js';
import { CountedServer } from '../round-trips/counted-server.js';
import { redisRequests } from '../round-trips/wire-formats.js';
import { clusterRecipe, recipe, RECIPE_PREFIX } from '../../unit/backends/redis/least-rights.js';

/** Real processes on a real cluster, with the least rights that the documentation lists. */
export function redisClusterHarness(): ContractHarness {
  let cluster: RedisCluster;
  let counted: CountedServer[] = [];
  const options = () => ({
    cluster: cluster.addresses.slice(0, 1),
    connection: { username: 'least', password: 'secret' },
    operationTimeoutMs: OPERATION_TIMEOUT_MS,
  });
  return {
    name: 'redis cluster',
    kinds: ['mutex', 'fairMutex'],
    roundTrips: {
      costs: costsOf('redis-cluster'),
      backend: async () =>
        redis({
          client: clientThrough(cluster, counted),
          operationTimeoutMs: OPERATION_TIMEOUT_MS,
        }),
      requests: () => counted.reduce((sum, { requests }) => sum + requests, 0),
    },
    open: async () => {
      cluster = await startCluster({ replicas: 0 });
      counted = await Promise.all(
        cluster.nodes.map(({ server }) => CountedServer.start(server, redisRequests)),
      );
      const rights = ['reset', 'on', '>secret', ...recipe(), ...clusterRecipe()];
      await Promise.all(
        cluster.nodes.map(({ server }) => redisCommand(server, 'ACL', 'SETUSER', 'least', ...rights)),
      );
    },
    backend: async (more) => redis({ ...options(), ...more }),
    runContenders: (jobs) =>
      runContendersAsProcesses({ module: 'bedrock-lock/redis', factory: 'redis', args: [options()] }, jobs),
    freshResource: () => `${RECIPE_PREFIX}${randomUUID()}`,
    isEmpty: async (resource) => {
      const masters = await cluster.masters();
      const keys = await Promise.all(
        masters.map(({ server }) => redisCommand(server, 'KEYS', `*${resource}*`)),
      );
      return keys.flat().length === 0;
    },
    close: async () => {
      await Promise.all(counted.map((one) => one.stop()));
      await cluster.stop();
    },
  };
}

/** A client that goes to each node by way of what counts its requests. */
function clientThrough({ addresses }: RedisCluster, counted: readonly CountedServer[]): Cluster {
  const ways = addresses.map(({ host, port }, i) => [`${host}:${port}`, counted[i]!] as const);
  return new Cluster([ways[0]![1]], {
    natMap: Object.fromEntries(ways),
    redisOptions: { username: 'least', password: 'secret' },
    lazyConnect: true,
  });
}
