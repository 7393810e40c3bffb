import { randomUUID } from 'node:crypto';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { runContendersAsProcesses, type ContractHarness } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { costsOf } from '../round-trips/costs-of.js';
import { CountedServer } from '../round-trips/counted-server.js';
import { redisRequests } from '../round-trips/wire-formats.js';
import { OPERATION_TIMEOUT_MS } from '../times.js';
import { combinationOf } from '../../unit/backends/combination/nodes.mjs';

const MODULE = new URL('../../unit/backends/combination/nodes.mjs', import.meta.url).href;

export interface CombinationGround {
  readonly nodes?: number;
  readonly strategy?: 'leftmost' | 'majority';
  readonly contention?: 'parallelFirst' | 'sequential';
  readonly fencing?: boolean;
}

/** Real processes on several real servers. */
export function combinationHarness({ nodes = 3, ...rules }: CombinationGround = {}): ContractHarness {
  let servers: RunningServer[] = [];
  let admins: Redis[] = [];
  let counted: CountedServer[] = [];
  // Everything else runs at the same time: no node may be taken for dead.
  const options = { fencing: true, nodeTimeoutMs: 1_000, ...rules };
  const urls = (): string[] => servers.map(({ url }) => url);
  return {
    name: `combination of ${nodes} nodes, ${JSON.stringify(rules)}`,
    unsupported: ['counters', 'permits', 'records', 'weighted', 'shared'],
    roundTrips: {
      costs: costsOf('combination'),
      backend: async () =>
        combinationOf(
          servers.map(({ url }, i) => counted[i]!.through(url)),
          { ...options, nodeTimeoutMs: OPERATION_TIMEOUT_MS },
        ),
      requests: () => counted.reduce((sum, { requests }) => sum + requests, 0),
    },
    open: async () => {
      servers = await Promise.all(Array.from({ length: nodes }, () => startRedis()));
      counted = await Promise.all(servers.map((server) => CountedServer.start(server, redisRequests)));
      admins = servers.map(({ url }) => new Redis(url));
    },
    backend: async (peer) => combinationOf(urls(), { ...options, ...peer }),
    runContenders: (jobs) =>
      runContendersAsProcesses({ module: MODULE, factory: 'combinationOf', args: [urls(), options] }, jobs),
    freshResource: () => `combined:${randomUUID()}`,
    isEmpty: async (resource) => {
      const keys = await Promise.all(admins.map((admin) => admin.keys(`*${resource}*`)));
      return keys.flat().length === 0;
    },
    close: async () => {
      for (const admin of admins) admin.disconnect();
      await Promise.all(counted.map((one) => one.stop()));
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
