import { randomUUID } from 'node:crypto';
import { redis } from 'bedrock-lock/redis';
import { redisCommand, startCluster, type RedisCluster } from 'bedrock-servers';
import { runContendersAsProcesses, type ContractHarness } from 'bedrock-testkit';
import { clusterRecipe, recipe, RECIPE_PREFIX } from '../../unit/backends/redis/least-rights.js';

/** Real processes on a real cluster, with the least rights that the documentation lists. */
export function redisClusterHarness(): ContractHarness {
  let cluster: RedisCluster;
  const options = () => ({
    cluster: cluster.addresses.slice(0, 1),
    connection: { username: 'least', password: 'secret' },
  });
  return {
    name: 'redis cluster',
    kinds: ['mutex', 'fairMutex'],
    open: async () => {
      cluster = await startCluster({ replicas: 0 });
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
    close: () => cluster.stop(),
  };
}
