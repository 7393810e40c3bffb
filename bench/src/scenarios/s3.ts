import { accountsOf } from '../contender/run-contenders.js';
import { PEERS } from '../libraries/catalogue.js';
import { count, decimals } from '../report/numbers.js';
import type { CrowdAccount, CrowdOrder } from '../roles/crowd.js';
import { crowdFigures } from './crowd-figures.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const TASKS = 100;

export const s3: Scenario = {
  name: 'S3',
  title: `Contended inside a process: ${TASKS} tasks on one key, no work under the lock`,
  short: '100 tasks, one key: cycles/s',
  libraries: ['raw', 'bedrock', 'bedrock-run', 'bedrock-nest', ...PEERS, 'async-mutex'],
  rounds: 3,
  compared: 'cyclesPerS',
  better: 'more',
  worst: ['failures'],
  async turn(library, servers) {
    const keys = new Array<string>(TASKS).fill(servers.freshKey());
    const order: CrowdOrder = { keys, durationMs: 900 };
    const [account] = await accountsOf<CrowdAccount>([assignmentOf('crowd', library, servers, order)]);
    return crowdFigures(account!);
  },
  columns: [
    { figure: 'cyclesPerS', head: 'cycles/s', show: count },
    { figure: 'commandsPerCycle', head: 'commands per cycle', show: decimals(3) },
    { figure: 'jain', head: 'Jain over tasks', show: decimals(3) },
    { figure: 'starved', head: 'starved tasks', show: count },
  ],
  targets: [
    { library: 'bedrock', figure: 'ratioToRaw', atLeast: 30 },
    { library: 'bedrock-run', figure: 'ratioToRaw', atLeast: 20 },
    { library: 'bedrock-nest', figure: 'ratioToRaw', atLeast: 12 },
    ...(['bedrock', 'bedrock-run', 'bedrock-nest'] as const).flatMap((library) => [
      { library, figure: 'commandsPerCycle', atMost: 0.05 },
      { library, figure: 'jain', atLeast: 0.99 },
    ]),
  ],
};
