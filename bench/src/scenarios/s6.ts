import { Redis } from 'ioredis';
import { withContenders } from '../contender/run-contenders.js';
import { PEERS } from '../libraries/catalogue.js';
import { count, decimals } from '../report/numbers.js';
import type { KeepAccount, KeepOrder } from '../roles/keep.js';
import type { Figures, BenchServers, Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const LEASES = 5_000;
const LEASE_MS = 5_000;

export const s6: Scenario = {
  name: 'S6',
  title: '5,000 leases of 5 s, held and renewed by one process',
  short: '5,000 leases: commands/s',
  libraries: ['raw', 'bedrock', ...PEERS],
  rounds: 1,
  // At the same time, since they mostly wait.
  lanes: 4,
  compared: 'commandsPerS',
  better: 'less',
  worst: ['lost', 'failures'],
  async turn(library, servers) {
    const order: KeepOrder = {
      key: `${servers.freshKey()}-`,
      leases: LEASES,
      leaseMs: LEASE_MS,
      takeMs: 4_000,
      settleMs: 1_500,
      // Two periods of the libraries that renew every 4 s.
      durationMs: 8_000,
    };
    const assignment = assignmentOf('keep', library, servers, order, { leaseMs: LEASE_MS });
    return withContenders<KeepAccount, Figures>([assignment], async ([keeper]) => {
      await keeper!.receive();
      const alive = await countAlive(servers, order.key);
      keeper!.send('leave');
      return { ...(await keeper!.account()), lost: LEASES - alive };
    });
  },
  columns: [
    { figure: 'commandsPerS', head: 'commands/s', show: count },
    { figure: 'cpuPercent', head: 'CPU, %', show: decimals(1) },
    { figure: 'heapPerLease', head: 'heap per lease, B', show: count },
    { figure: 'lost', head: 'lost', show: count },
  ],
  targets: [
    { library: 'bedrock', figure: 'commandsPerS', atMost: 20 },
    { library: 'bedrock', figure: 'heapPerLease', atMost: 600 },
    { library: 'bedrock', figure: 'lost', atMost: 0 },
  ],
};

/** How many leases the server still knows: a library may add to the names of its keys. */
async function countAlive({ url }: BenchServers, prefix: string): Promise<number> {
  const client = new Redis(url);
  const alive = new Set<string>();
  const shape = new RegExp(`${prefix}(\\d+)-`);
  try {
    for await (const keys of client.scanStream({ match: `*${prefix}*`, count: 1_000 })) {
      const leases = (keys as string[]).flatMap((key) => shape.exec(key)?.[1] ?? []);
      for (const lease of leases) alive.add(lease);
    }
  } finally {
    client.disconnect();
  }
  return alive.size;
}
