import { randomUUID } from 'node:crypto';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { runContendersAsProcesses, type ContractHarness } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { leastUser, RECIPE_PREFIX } from '../../unit/backends/redis/least-rights.js';
import { OPERATION_TIMEOUT_MS } from '../times.js';
import { costsOf } from '../round-trips/costs-of.js';
import { CountedServer } from '../round-trips/counted-server.js';
import { redisRequests } from '../round-trips/wire-formats.js';
import { backendOf, type Library } from '../../unit/backends/redis/libraries.mjs';

const LIBRARIES_MODULE = new URL('../../unit/backends/redis/libraries.mjs', import.meta.url).href;

const TIMES = { operationTimeoutMs: OPERATION_TIMEOUT_MS };

export interface RedisGround {
  readonly library?: Library;
  /** `least`: those of the documented recipe. */
  readonly rights?: 'all' | 'least';
}

/** Real processes on a real server. */
export function redisHarness({ library = 'ioredis 6', rights = 'all' }: RedisGround = {}): ContractHarness {
  let server: RunningServer;
  let admin: Redis;
  let url: string;
  let counted: CountedServer;
  return {
    name: `redis through ${library}, with ${rights} rights`,
    // The scripts are the same for all clients.
    kinds: library === 'ioredis 6' ? ['mutex', 'fairMutex'] : ['mutex'],
    roundTrips: {
      costs: costsOf('redis'),
      backend: async () => backendOf(library, counted.through(url), TIMES),
      requests: () => counted.requests,
    },
    open: async () => {
      server = await startRedis({ shared: rights === 'all' });
      admin = new Redis(server.url);
      url = rights === 'all' ? server.url : await leastUser(admin, server.url);
      counted = await CountedServer.start(server, redisRequests);
    },
    backend: async (options) => backendOf(library, url, { ...TIMES, ...options }),
    runContenders: (jobs) =>
      runContendersAsProcesses(
        { module: LIBRARIES_MODULE, factory: 'backendOf', args: [library, url, TIMES] },
        jobs,
      ),
    freshResource: () => `${RECIPE_PREFIX}${randomUUID()}`,
    isEmpty: async (resource) => (await admin.keys(`*${resource}*`)).length === 0,
    close: async () => {
      admin.disconnect();
      await counted.stop();
      await server.stop();
    },
  };
}
