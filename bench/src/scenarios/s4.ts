import { PEERS } from '../libraries/catalogue.js';
import { count, decimals } from '../report/numbers.js';
import type { TeamOrder } from '../roles/team.js';
import type { Scenario } from './scenario.js';
import { teamFigures } from './team-figures.js';
import { teamsAtWork } from './teams-at-work.js';
import { assignmentOf } from './assignment.js';

const PROCESSES = 4;
const TASKS = 8;

export const s4: Scenario = {
  name: 'S4',
  title: `Contended between processes: ${PROCESSES} processes of ${TASKS} tasks on one key, 1 ms of work under the lock`,
  short: '4 processes × 8: cycles/s',
  libraries: ['alone', 'raw', 'bedrock', 'bedrock-run', 'bedrock-fair', ...PEERS],
  rounds: 2,
  compared: 'cyclesPerS',
  better: 'more',
  worst: ['longestWaitMs', 'overlaps', 'failures'],
  relative: { figure: 'ofBodyAlone', to: 'alone' },
  async turn(library, servers) {
    const isAlone = library === 'alone';
    const tasks = isAlone ? 1 : TASKS;
    const order: TeamOrder = {
      key: servers.freshKey(),
      tasks,
      bodyMs: 1,
      warmUpCycles: 1_000,
      warmUpMs: isAlone ? 100 : 1_500,
      durationMs: isAlone ? 700 : 1_400,
    };
    const assignment = assignmentOf('team', library, servers, order);
    const assignments = new Array<typeof assignment>(isAlone ? 1 : PROCESSES).fill(assignment);
    return teamFigures(await teamsAtWork(assignments), tasks);
  },
  columns: [
    { figure: 'cyclesPerS', head: 'cycles/s', show: count },
    { figure: 'ofBodyAlone', head: 'of the body alone', show: decimals(2) },
    { figure: 'commandsPerCycle', head: 'commands per cycle', show: decimals(2) },
    { figure: 'jainTasks', head: 'Jain over tasks', show: decimals(3) },
    { figure: 'jainProcesses', head: 'across processes', show: decimals(3) },
    { figure: 'longestWaitMs', head: 'longest wait, ms', show: count },
    { figure: 'overlaps', head: 'overlaps', show: count },
  ],
  targets: [
    { library: 'bedrock', figure: 'ofBodyAlone', atLeast: 0.85 },
    { library: 'bedrock', figure: 'jainTasks', atLeast: 0.98 },
    { library: 'bedrock', figure: 'jainProcesses', atLeast: 0.98 },
    { library: 'bedrock', figure: 'longestWaitMs', atMost: 100 },
    { library: 'bedrock', figure: 'overlaps', atMost: 0 },
    { library: 'bedrock-fair', figure: 'ofBodyAlone', atLeast: 0.7 },
    { library: 'bedrock-fair', figure: 'jainTasks', atLeast: 0.99 },
    { library: 'bedrock-fair', figure: 'overlaps', atMost: 0 },
  ],
};
