import type { ContentionResult, ContentionInput } from '../contention/contention.job.js';
import { ContentionService } from '../contention/contention.service.js';
import { runProcesses } from '../processes/run-processes.js';
import { countOverlaps } from '../referee/overlaps.js';
import { turnsInCommon } from '../referee/turns.js';
import { count, ratio } from '../report/numbers.js';
import { printTitle } from '../report/print-report.js';
import { Progress } from '../report/progress.js';
import type { Report } from '../report/report.js';
import { jainIndex } from '../report/statistics.js';
import { usualLeaseMs } from '../server/run-servers.js';
import { withNumber } from '../server/open-numbers.js';
import type { ScenarioContext } from './scenario.js';

const FLOWS = 4;

/** Result of one run. */
interface ContentionRun {
  readonly processes: number;
  /** Number of turns of each flow of each process. */
  readonly turnsOfFlows: readonly number[];
  readonly counter: number;
  readonly overlaps: number;
  readonly handOvers: number;
  readonly commands: number;
  readonly fairness: number;
}

/**
 * Four flows of one process, then four processes of four flows. All share one counter, and every flow gets its turns.
 */
export async function contention(context: ScenarioContext): Promise<Report> {
  const { options, servers, serversLabel, terminal } = context;
  const { rounds = 50 } = options;
  const { processes = servers.kind === 'memory' ? 1 : 4 } = options;
  const sizes = processes === 1 ? [1] : [1, processes];
  printTitle(terminal, 'Contention', [
    `${FLOWS} flows ${sizes.map((size) => (size === 1 ? 'in one process' : `in each of ${size} processes`)).join(', then ')}, locks ${serversLabel}`,
    `each flow takes ${rounds} turns: reads a counter, awaits, writes it back`,
  ]);
  const runs: ContentionRun[] = [];
  for (const size of sizes) runs.push(await runContention(context, size, rounds));
  const turns = runs.map((run) => run.processes * FLOWS * rounds);
  const lost = sum(turns) - sum(runs.map((run) => run.counter));
  const overlaps = sum(runs.map((run) => run.overlaps));
  const isEverybodyIn = runs.every((run) => run.turnsOfFlows.every((turn) => turn === rounds));
  return {
    sections: [
      {
        head: [
          'processes',
          'flows',
          'turns',
          'counter',
          'overlaps',
          'hand-overs',
          'lock commands',
          'fairness (Jain)',
        ],
        right: [0, 1, 2, 3, 4, 5, 6, 7],
        rows: runs.map((run, i) => [
          ...[run.processes, run.processes * FLOWS, turns[i]!, run.counter, run.overlaps].map(count),
          ...[run.handOvers, run.commands].map(count),
          ratio(run.fairness),
        ]),
      },
    ],
    checks: [
      { isMet: lost === 0, text: `${count(lost)} of ${count(sum(turns))} increments were lost` },
      {
        isMet: overlaps === 0,
        text: `the referee saw ${count(overlaps)} of ${count(sum(turns))} critical sections overlap`,
      },
      {
        isMet: isEverybodyIn,
        text: `every flow had ${isEverybodyIn ? '' : 'NOT '}all of its ${rounds} turns`,
      },
    ],
    verdict: `contention: turns ${sum(turns)}, lost updates ${lost}, overlaps ${overlaps}`,
  };
}

async function runContention(
  { servers, options, terminal }: ScenarioContext,
  processes: number,
  turns: number,
): Promise<ContentionRun> {
  const { leaseMs = usualLeaseMs(servers) } = options;
  return withNumber(servers, [ContentionService.COUNTER, 0], async (numbers) => {
    const inputs = Array.from({ length: processes }, (_, index): ContentionInput => ({
      settings: { servers, leaseMs, label: `ring ${index + 1}` },
      flows: FLOWS,
      turns,
    }));
    const progress = new Progress(terminal, processes * FLOWS * turns, 'turns');
    const results: ContentionResult[] = await runProcesses('contention', inputs, {
      onProgress: (done) => progress.show(done),
    });
    progress.end();
    const logs = results.map(({ sections }) => sections);
    return {
      processes,
      turnsOfFlows: results.flatMap(({ order }) =>
        Array.from({ length: FLOWS }, (_, flow) => order.filter((one) => one === flow).length),
      ),
      counter: await numbers.read(ContentionService.COUNTER),
      overlaps: countOverlaps(logs),
      handOvers: sum(results.map(({ handOvers }) => handOvers)),
      commands: sum(results.map(({ commands }) => commands)),
      fairness: jainIndex(turnsInCommon(logs)),
    };
  });
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
