import { accountsOf } from '../contender/run-contenders.js';
import { PEERS } from '../libraries/catalogue.js';
import { decimals } from '../report/numbers.js';
import type { SequentialAccount, SequentialOrder } from '../roles/sequential.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

export const s1: Scenario = {
  name: 'S1',
  title: 'Uncontended, sequential: one process, one task, one key; a cycle is acquire and release',
  short: 'one after the other: time',
  libraries: [
    'raw',
    'bedrock',
    'bedrock-run',
    'bedrock-no-tokens',
    'bedrock-guarded',
    'raw-scripts',
    ...PEERS,
    'async-mutex',
  ],
  rounds: 5,
  compared: 'p50Us',
  better: 'less',
  async turn(library, servers) {
    const order: SequentialOrder = { key: servers.freshKey(), warmUpCycles: 4_000, cycles: 3_000 };
    const [account] = await accountsOf<SequentialAccount>([
      assignmentOf('sequential', library, servers, order),
    ]);
    return { ...account! };
  },
  columns: [
    { figure: 'p50Us', head: 'cycle p50, µs', show: decimals(1) },
    { figure: 'p99Us', head: 'p99, µs', show: decimals(0) },
    { figure: 'commandsPerCycle', head: 'commands per cycle', show: decimals(2) },
  ],
  targets: [
    { library: 'bedrock', figure: 'ratioToRaw', atMost: 1.15 },
    { library: 'bedrock-guarded', figure: 'ratioToRaw', atMost: 1.25 },
  ],
};
