import { count, decimals } from '../report/numbers.js';
import type { TeamOrder } from '../roles/team.js';
import { serversOf } from './engine-rows.js';
import type { Scenario } from './scenario.js';
import { teamFigures } from './team-figures.js';
import { teamsAtWork } from './teams-at-work.js';
import { assignmentOf } from './assignment.js';

/** One holds, the others wait. */
const CALLERS = [1, 25, 25, 25, 25];

/** Long enough for all callers woken in vain to wait again before the next release. */
const BODY_MS = 20;

export const e4: Scenario = {
  name: 'E4',
  title: 'The herd on ZooKeeper: 101 callers on one key, each with its own session: one holds it, 100 wait',
  short: 'ZooKeeper, 100 waiters: notifications',
  libraries: ['herd-zookeeper', 'raw-zookeeper', 'bedrock-zookeeper'],
  rawOf: () => 'herd-zookeeper',
  rounds: 1,
  compared: 'notificationsPerRelease',
  better: 'less',
  worst: ['overlaps', 'failures'],
  async turn(library, servers) {
    const key = servers.freshKey();
    const engineServers = await serversOf(library, servers);
    const assignments = CALLERS.map((tasks) => {
      const order: TeamOrder = {
        key,
        tasks,
        isApart: true,
        bodyMs: BODY_MS,
        warmUpCycles: 20,
        warmUpMs: 100,
        durationMs: 2_000,
      };
      return assignmentOf('team', library, engineServers, order);
    });
    return teamFigures(await teamsAtWork(assignments), Math.max(...CALLERS));
  },
  columns: [
    { figure: 'notificationsPerRelease', head: 'notifications per release', show: decimals(2) },
    { figure: 'echoesPerRelease', head: 'to the releaser itself', show: decimals(2) },
    { figure: 'cyclesPerS', head: 'cycles/s', show: count },
    { figure: 'overlaps', head: 'overlaps', show: count },
  ],
  targets: [
    { library: 'bedrock-zookeeper', figure: 'notificationsPerRelease', atMost: 1.1 },
    { library: 'bedrock-zookeeper', figure: 'overlaps', atMost: 0 },
  ],
};
