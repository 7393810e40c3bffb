import { count, decimals } from '../report/numbers.js';
import type { TeamOrder } from '../roles/team.js';
import { CROWDED, serversOf, onEveryEngine } from './engine-rows.js';
import type { Scenario } from './scenario.js';
import { teamFigures } from './team-figures.js';
import { teamsAtWork } from './teams-at-work.js';
import { assignmentOf } from './assignment.js';

const PROCESSES = 4;
const TASKS = 25;

export const e3: Scenario = {
  name: 'E3',
  title: `Each engine, 100 callers: ${PROCESSES} processes of ${TASKS} tasks on one key, 1 ms of work under the lock`,
  short: 'engines, 4 processes × 25: cycles/s',
  ...CROWDED,
  rounds: 1,
  compared: 'cyclesPerS',
  better: 'more',
  worst: ['longestWaitMs', 'overlaps', 'failures'],
  async turn(library, servers) {
    const order: TeamOrder = {
      key: servers.freshKey(),
      tasks: TASKS,
      bodyMs: 1,
      warmUpCycles: 300,
      warmUpMs: 300,
      durationMs: 2_000,
    };
    const assignment = assignmentOf('team', library, await serversOf(library, servers), order);
    return teamFigures(await teamsAtWork(new Array<typeof assignment>(PROCESSES).fill(assignment)), TASKS);
  },
  columns: [
    { figure: 'cyclesPerS', head: 'cycles/s', show: count },
    { figure: 'commandsPerCycle', head: 'requests per release', show: decimals(2) },
    { figure: 'commandsPerChange', head: 'per change of process', show: decimals(1) },
    { figure: 'jainTasks', head: 'Jain over tasks', show: decimals(3) },
    { figure: 'jainProcesses', head: 'across processes', show: decimals(3) },
    { figure: 'longestWaitMs', head: 'longest wait, ms', show: count },
    { figure: 'overlaps', head: 'overlaps', show: count },
  ],
  targets: [
    ...onEveryEngine({ figure: 'commandsPerCycle', atMost: 3 }),
    ...onEveryEngine({ figure: 'overlaps', atMost: 0 }),
  ],
};
