import { count, duration, percent, ratio, seconds } from '../report/numbers.js';
import type { Check, Report, Section } from '../report/report.js';
import { spreadOf } from '../report/statistics.js';
import { saleFigures, type SaleFacts, type SaleFigures } from './sale.figures.js';

/** Judges a sale. It is right if each sale took one item, and no two buyers were at the counter at once. */
export function saleReport(facts: SaleFacts): Report {
  const figures = saleFigures(facts);
  const { sold, oversold, overlaps, failures } = figures;
  return {
    sections: [overview(facts, figures), ...(facts.results.length > 1 ? [processes(facts)] : [])],
    checks: checks(facts, figures),
    notes: failures.slice(0, 3).map((failure) => `a purchase failed: ${failure}`),
    verdict: `flash sale: sold ${sold} of ${facts.stock}, oversold ${oversold}, overlaps ${overlaps}`,
  };
}

function overview({ stock, left, purchases }: SaleFacts, figures: SaleFigures): Section {
  const { perBuyer, waitMs, durationMs, sold, handOvers, commands } = figures;
  return {
    rows: [
      ['duration', seconds(durationMs), `${count((1_000 * purchases) / durationMs)} purchases/s`],
      ['purchases', `sold ${count(sold)}`, `turned away ${count(figures.turnedAway)}`],
      ['stock', `${count(stock)} before`, `${count(left)} after`],
      ['per buyer', `min ${perBuyer.min}   max ${perBuyer.max}`, `average ${ratio(perBuyer.average)}`],
      ['wait', `p50 ${duration(waitMs.p50)}`, `p99 ${duration(waitMs.p99)}   max ${duration(waitMs.max)}`],
      ['hand-overs', count(handOvers), `${percent(handOvers, purchases)} of the purchases`],
      ['lock commands', count(commands), `${ratio(commands / purchases)} per purchase`],
      [
        'fairness (Jain)',
        `buyers ${ratio(figures.fairnessOfBuyers)} of ${ratio(figures.bestFairnessOfBuyers)}`,
        `processes ${ratio(figures.fairnessOfProcesses)} of 1.00`,
      ],
    ],
  };
}

function processes({ results }: SaleFacts): Section {
  return {
    head: ['process', 'sold', 'hand-overs', 'lock commands', 'wait p50', 'p99', 'max'],
    right: [1, 2, 3, 4, 5, 6],
    rows: results.map(({ sales, handOvers, commands, waitsMs }, index) => {
      const wait = spreadOf(waitsMs);
      const sold = sales.reduce((sum, one) => sum + one, 0);
      const waits = [wait.p50, wait.p99, wait.max].map(duration);
      return [`shop ${index + 1}`, count(sold), count(handOvers), count(commands), ...waits];
    }),
  };
}

function checks({ stock, left, purchases }: SaleFacts, figures: SaleFigures): Check[] {
  const { sold, oversold, overlaps, sections, failures } = figures;
  const taken = stock - left;
  const expected = Math.min(stock, purchases);
  return [
    {
      isMet: oversold === 0,
      text:
        oversold === 0
          ? `no item was sold twice: ${count(sold)} sales took ${count(taken)} items`
          : `oversold: ${count(sold)} sales took ${count(taken)} items, so ${count(oversold)} would be sold again`,
    },
    {
      isMet: overlaps === 0,
      text: `the referee saw ${count(overlaps)} of ${count(sections)} critical sections overlap`,
    },
    {
      isMet: sold === expected && failures.length === 0,
      text: `${count(sold)} of ${count(expected)} possible sales were made, ${count(failures.length)} purchases failed`,
    },
  ];
}
