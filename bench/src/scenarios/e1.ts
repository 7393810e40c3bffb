import type { EngineName } from '../engines/engines.js';
import { accountsOf } from '../contender/run-contenders.js';
import { engineOf } from '../libraries/catalogue.js';
import { decimals } from '../report/numbers.js';
import type { SequentialAccount, SequentialOrder } from '../roles/sequential.js';
import { FREE, serversOf, onEveryEngine } from './engine-rows.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

/**
 * Until the code is compiled, which takes Bedrock some 8,000 cycles. Cycles run one at a time even if each takes a
 * millisecond: concurrent requests would be batched, and the sending code would stay cold.
 */
const QUICK = { warmUpCycles: 8_000, cycles: 1_500 };
const SLOW = { warmUpCycles: 4_000, cycles: 600 };
const CYCLES: Readonly<Record<EngineName, Omit<SequentialOrder, 'key'>>> = {
  redis: QUICK,
  zookeeper: SLOW,
  etcd: SLOW,
  postgres: QUICK,
  mysql: QUICK,
};

export const e1: Scenario = {
  name: 'E1',
  title: 'Each engine, uncontended: one process, one task, one key; raw makes the calls of the same recipe',
  short: 'engines, one after the other: time',
  ...FREE,
  rounds: 2,
  compared: 'p50Us',
  better: 'less',
  async turn(library, servers) {
    const order: SequentialOrder = { key: servers.freshKey(), ...CYCLES[engineOf(library)] };
    const engineServers = await serversOf(library, servers);
    const [account] = await accountsOf<SequentialAccount>([
      assignmentOf('sequential', library, engineServers, order),
    ]);
    return { ...account! };
  },
  columns: [
    { figure: 'p50Us', head: 'cycle p50, µs', show: decimals(0) },
    { figure: 'p99Us', head: 'p99, µs', show: decimals(0) },
    { figure: 'cpuUsPerCycle', head: 'CPU of the client, µs', show: decimals(0) },
    { figure: 'commandsPerCycle', head: 'requests per cycle', show: decimals(2) },
  ],
  targets: onEveryEngine({ figure: 'ratioToRaw', atMost: 1.15 }),
};
