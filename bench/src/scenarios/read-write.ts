import { accountsOf } from '../contender/run-contenders.js';
import { countConflicts, unpackSections } from '../figures/section-log.js';
import { count, decimals } from '../report/numbers.js';
import type { ReadersAccount, ReadersOrder } from '../roles/readers.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const PROCESSES = 4;
const TASKS = 8;
const WRITE_EVERY = 20;

export const readWrite: Scenario = {
  name: 'read-write',
  title: `Readers and writers: ${PROCESSES} processes of ${TASKS} tasks on one key, 95 % reads, 1 ms of work each`,
  short: '95 % reads: turns/s',
  libraries: ['bedrock', 'bedrock-read-write'],
  rounds: 2,
  compared: 'turnsPerS',
  better: 'more',
  worst: ['conflicts'],
  relative: { figure: 'ofMutex', to: 'bedrock' },
  async turn(library, servers) {
    const order: ReadersOrder = {
      key: servers.freshKey(),
      tasks: TASKS,
      writeEvery: WRITE_EVERY,
      bodyMs: 1,
      warmUpMs: 700,
      durationMs: 1_400,
    };
    const assignment = assignmentOf('readers', library, servers, order);
    const accounts = await accountsOf<ReadersAccount>(
      new Array<typeof assignment>(PROCESSES).fill(assignment),
    );
    const from = Math.max(...accounts.map((account) => account.from));
    const until = Math.min(...accounts.map((account) => account.until));
    const sections = accounts.flatMap((account) => unpackSections(account.sections));
    const counted = sections.filter(({ left }) => left > from && left <= until);
    const writes = counted.filter(({ task }) => task < 0);
    return {
      turnsPerS: (1_000 * counted.length) / (until - from),
      writesPerS: (1_000 * writes.length) / (until - from),
      commandsPerTurn: accounts.reduce((sum, { commands }) => sum + commands, 0) / sections.length,
      conflicts: countConflicts(sections),
    };
  },
  columns: [
    { figure: 'turnsPerS', head: 'turns/s', show: count },
    { figure: 'ofMutex', head: '× mutex', show: decimals(1) },
    { figure: 'writesPerS', head: 'writes/s', show: count },
    { figure: 'commandsPerTurn', head: 'commands per turn', show: decimals(2) },
    { figure: 'conflicts', head: 'conflicts', show: count },
  ],
  targets: [
    { library: 'bedrock-read-write', figure: 'ofMutex', atLeast: 5 },
    { library: 'bedrock-read-write', figure: 'conflicts', atMost: 0 },
  ],
};
