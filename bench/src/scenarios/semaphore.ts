import { accountsOf } from '../contender/run-contenders.js';
import { PERMITS } from '../libraries/open-lock.js';
import { count, decimals } from '../report/numbers.js';
import type { CrowdAccount, CrowdOrder } from '../roles/crowd.js';
import { crowdFigures } from './crowd-figures.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const TASKS = 100;

export const semaphore: Scenario = {
  name: 'semaphore',
  title: `Semaphore: ${TASKS} tasks of one process for ${PERMITS} permits, no work while they are held`,
  short: `${PERMITS} permits, 100 tasks: cycles/s`,
  libraries: ['redis-semaphore-8', 'bedrock-semaphore'],
  rounds: 3,
  compared: 'cyclesPerS',
  better: 'more',
  worst: ['failures'],
  relative: { figure: 'ofRedisSemaphore', to: 'redis-semaphore-8' },
  async turn(library, servers) {
    const keys = new Array<string>(TASKS).fill(servers.freshKey());
    const order: CrowdOrder = { keys, durationMs: 900 };
    const [account] = await accountsOf<CrowdAccount>([assignmentOf('crowd', library, servers, order)]);
    return crowdFigures(account!);
  },
  columns: [
    { figure: 'cyclesPerS', head: 'cycles/s', show: count },
    { figure: 'ofRedisSemaphore', head: '× redis-semaphore', show: decimals(1) },
    { figure: 'commandsPerCycle', head: 'commands per cycle', show: decimals(3) },
    { figure: 'jain', head: 'Jain over tasks', show: decimals(3) },
    { figure: 'starved', head: 'starved tasks', show: count },
  ],
  targets: [{ library: 'bedrock-semaphore', figure: 'ofRedisSemaphore', atLeast: 5 }],
};
