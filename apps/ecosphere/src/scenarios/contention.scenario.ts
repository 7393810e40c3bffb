import type { ContentionAccount, ContentionOrder } from '../contention/contention.duty.js';
import { ContentionService } from '../contention/contention.service.js';
import { runCrew } from '../processes/crew.js';
import { countOverlaps } from '../referee/overlaps.js';
import { turnsInCommon } from '../referee/turns.js';
import { count, ratio } from '../report/numbers.js';
import { printTitle } from '../report/print-report.js';
import { Progress } from '../report/progress.js';
import type { Report } from '../report/report.js';
import { jainIndex } from '../report/statistics.js';
import { usualLeaseMs } from '../server/ground.js';
import { withNumber } from '../server/open-numbers.js';
import type { ScenarioContext } from './scenario.js';

const FLOWS = 4;

/** What one bout came to. */
interface Bout {
  readonly processes: number;
  /** Turns of each flow of each process. */
  readonly turnsOfFlows: readonly number[];
  readonly counter: number;
  readonly overlaps: number;
  readonly handOvers: number;
  readonly commands: number;
  readonly fairness: number;
}

/** Four flows of one process, then four processes of four flows: one counter, and everybody gets in. */
export async function contention(context: ScenarioContext): Promise<Report> {
  const { options, ground, groundLabel, terminal } = context;
  const { rounds = 50 } = options;
  const { processes = ground.kind === 'memory' ? 1 : 4 } = options;
  const sizes = processes === 1 ? [1] : [1, processes];
  printTitle(terminal, 'Contention', [
    `${FLOWS} flows ${sizes.map((size) => (size === 1 ? 'in one process' : `in each of ${size} processes`)).join(', then ')}, locks ${groundLabel}`,
    `each flow takes ${rounds} turns: reads a counter, awaits, writes it back`,
  ]);
  const bouts: Bout[] = [];
  for (const size of sizes) bouts.push(await fight(context, size, rounds));
  const turns = bouts.map((bout) => bout.processes * FLOWS * rounds);
  const lost = sum(turns) - sum(bouts.map((bout) => bout.counter));
  const overlaps = sum(bouts.map((bout) => bout.overlaps));
  const isEverybodyIn = bouts.every((bout) => bout.turnsOfFlows.every((turn) => turn === rounds));
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
        rows: bouts.map((bout, i) => [
          ...[bout.processes, bout.processes * FLOWS, turns[i]!, bout.counter, bout.overlaps].map(count),
          ...[bout.handOvers, bout.commands].map(count),
          ratio(bout.fairness),
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

async function fight(
  { ground, options, terminal }: ScenarioContext,
  processes: number,
  turns: number,
): Promise<Bout> {
  const { leaseMs = usualLeaseMs(ground) } = options;
  return withNumber(ground, [ContentionService.COUNTER, 0], async (numbers) => {
    const orders = Array.from({ length: processes }, (_, index): ContentionOrder => ({
      settings: { ground, leaseMs, label: `ring ${index + 1}` },
      flows: FLOWS,
      turns,
    }));
    const progress = new Progress(terminal, processes * FLOWS * turns, 'turns');
    const accounts: ContentionAccount[] = await runCrew('contention', orders, (done) => progress.show(done));
    progress.end();
    const logs = accounts.map(({ sections }) => sections);
    return {
      processes,
      turnsOfFlows: accounts.flatMap(({ order }) =>
        Array.from({ length: FLOWS }, (_, flow) => order.filter((one) => one === flow).length),
      ),
      counter: await numbers.read(ContentionService.COUNTER),
      overlaps: countOverlaps(logs),
      handOvers: sum(accounts.map(({ handOvers }) => handOvers)),
      commands: sum(accounts.map(({ commands }) => commands)),
      fairness: jainIndex(turnsInCommon(logs)),
    };
  });
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
