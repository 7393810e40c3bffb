import { accountsOf } from '../contender/run-contenders.js';
import { PEERS } from '../libraries/catalogue.js';
import { count, decimals } from '../report/numbers.js';
import type { CrowdAccount, CrowdOrder } from '../roles/crowd.js';
import { crowdFigures } from './crowd-figures.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const TASKS = 64;

export const s2: Scenario = {
  name: 'S2',
  title: `Uncontended: ${TASKS} concurrent tasks of one process, each with its own key`,
  short: '64 tasks, 64 keys: cycles/s',
  libraries: ['raw', 'bedrock', 'bedrock-run', ...PEERS],
  rounds: 3,
  compared: 'cyclesPerS',
  better: 'more',
  async turn(library, servers) {
    const keys = Array.from({ length: TASKS }, () => servers.freshKey());
    const order: CrowdOrder = { keys, durationMs: 600 };
    const [account] = await accountsOf<CrowdAccount>([assignmentOf('crowd', library, servers, order)]);
    return crowdFigures(account!);
  },
  columns: [
    { figure: 'cyclesPerS', head: 'cycles/s', show: count },
    { figure: 'commandsPerCycle', head: 'commands per cycle', show: decimals(2) },
  ],
  targets: [{ library: 'bedrock', figure: 'ratioToRaw', atLeast: 1.8 }],
};
