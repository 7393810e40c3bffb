import { randomUUID } from 'node:crypto';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { crowdOfProcesses, type ContractHarness } from 'bedrock-testkit';
import { Redis } from 'ioredis';

/** Real processes on a real server. */
export function redisHarness(): ContractHarness {
  let server: RunningServer;
  let admin: Redis;
  return {
    name: 'redis',
    open: async () => {
      server = await startRedis({ shared: true });
      admin = new Redis(server.url);
    },
    backend: async (options) => redis({ url: server.url, ...options }),
    crowd: (jobs) =>
      crowdOfProcesses({ module: 'bedrock-lock/redis', factory: 'redis', args: [server.url] }, jobs),
    freshResource: () => `contract:${randomUUID()}`,
    isEmpty: async (resource) => (await admin.keys(`*${resource}*`)).length === 0,
    close: async () => {
      admin.disconnect();
      await server.stop();
    },
  };
}
