import { accountsOf } from '../contender/run-contenders.js';
import { count, decimals } from '../report/numbers.js';
import type { CrowdAccount, CrowdOrder } from '../roles/crowd.js';
import { crowdFigures } from './crowd-figures.js';
import { CROWDED, serversOf, onEveryEngine } from './engine-rows.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const TASKS = 100;

export const e2: Scenario = {
  name: 'E2',
  title: `Each engine, contended inside a process: ${TASKS} tasks on one key, no work under the lock`,
  short: 'engines, 100 tasks, one key: cycles/s',
  ...CROWDED,
  rounds: 2,
  compared: 'cyclesPerS',
  better: 'more',
  worst: ['failures'],
  async turn(library, servers) {
    const keys = new Array<string>(TASKS).fill(servers.freshKey());
    const order: CrowdOrder = { keys, durationMs: 700, warmUpStepsAtMost: 4 };
    const engineServers = await serversOf(library, servers);
    const [account] = await accountsOf<CrowdAccount>([assignmentOf('crowd', library, engineServers, order)]);
    return crowdFigures(account!);
  },
  columns: [
    { figure: 'cyclesPerS', head: 'cycles/s', show: count },
    { figure: 'commandsPerCycle', head: 'requests per cycle', show: decimals(3) },
    { figure: 'jain', head: 'Jain over tasks', show: decimals(3) },
    { figure: 'starved', head: 'starved tasks', show: count },
  ],
  targets: onEveryEngine({ figure: 'ratioToRaw', atLeast: 20 }),
};
