import { accountsOf } from '../contender/crew.js';
import { count, decimals } from '../report/numbers.js';
import type { CrowdAccount, CrowdOrder } from '../roles/crowd.js';
import { crowdFigures } from './crowd-figures.js';
import { CROWDED, groundOf, onEveryEngine } from './engine-rows.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './terms.js';

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
  async turn(library, ground) {
    const keys = new Array<string>(TASKS).fill(ground.freshKey());
    const order: CrowdOrder = { keys, durationMs: 700, warmUpStepsAtMost: 4 };
    const place = await groundOf(library, ground);
    const [account] = await accountsOf<CrowdAccount>([assignmentOf('crowd', library, place, order)]);
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
