import { countOverlaps, unpackSections, type Section } from '../figures/section-log.js';
import { jainIndex } from '../figures/statistics.js';
import type { TeamAccount } from '../roles/team.js';
import type { Figures } from './scenario.js';

/** Figures of several processes on one key, over the time in which all of them were at work. */
export function teamFigures(accounts: readonly TeamAccount[], tasks: number): Figures {
  const from = Math.max(...accounts.map((account) => account.from));
  const until = Math.min(...accounts.map((account) => account.until));
  const logs = accounts.map(({ sections }) => unpackSections(sections));
  const counted = logs.map((log) => log.filter(({ left }) => left > from && left <= until));
  const total = counted.reduce((sum, log) => sum + log.length, 0);
  const perTask = counted.flatMap((log) =>
    Array.from({ length: tasks }, (_, task) => log.filter((section) => section.task === task).length),
  );
  // A task that never held the lock waited too.
  const waits = accounts.flatMap(({ waitingSince, until: end }, i) => [
    ...logs[i]!.map(({ asked, entered }) => entered - asked),
    ...waitingSince.map((since) => end - since),
  ]);
  const bodies = counted.flat().map(({ entered, left }) => left - entered);
  const commands = sum(accounts.map((account) => account.commands));
  const turns = sum(logs.map(({ length }) => length));
  return {
    cyclesPerS: (1_000 * total) / (until - from),
    commandsPerCycle: commands / turns,
    commandsPerChange: commands / changesOf(logs),
    notificationsPerRelease: sum(accounts.map(({ notifications }) => notifications)) / turns,
    echoesPerRelease: sum(accounts.map(({ echoes }) => echoes)) / turns,
    jainTasks: jainIndex(perTask),
    jainProcesses: jainIndex(counted.map(({ length }) => length)),
    longestWaitMs: waits.reduce((longest, wait) => Math.max(longest, wait), 0),
    overlaps: countOverlaps(logs.flat()),
    bodyMs: sum(bodies) / bodies.length,
    failures: sum(accounts.map(({ failures }) => failures)),
  };
}

/** How often the lock passed to another process. */
function changesOf(logs: readonly (readonly Section[])[]): number {
  const turns = logs.flatMap((log, process) => log.map(({ entered }) => ({ entered, process })));
  turns.sort((one, other) => one.entered - other.entered);
  return turns.filter(({ process }, i) => i > 0 && turns[i - 1]!.process !== process).length;
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
