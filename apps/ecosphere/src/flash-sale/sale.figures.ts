import { shareOf } from '../processes/share.js';
import { countOverlaps } from '../referee/overlaps.js';
import { turnsInCommon } from '../referee/turns.js';
import { jainIndex, spreadOf, type Spread } from '../report/statistics.js';
import type { SaleResult } from './sale.job.js';

export interface SaleFacts {
  readonly results: readonly SaleResult[];
  /** Items before the sale. */
  readonly stock: number;
  /** Items left according to the stock. */
  readonly left: number;
  readonly purchases: number;
}

export interface SaleFigures {
  readonly sold: number;
  readonly turnedAway: number;
  readonly failures: readonly string[];
  /** Sales without an item from the stock. */
  readonly oversold: number;
  readonly overlaps: number;
  readonly sections: number;
  readonly durationMs: number;
  readonly perBuyer: Spread;
  readonly waitMs: Spread;
  readonly handOvers: number;
  readonly commands: number;
  readonly fairnessOfBuyers: number;
  /** The fairness of sales distributed as evenly as whole numbers allow. */
  readonly bestFairnessOfBuyers: number;
  readonly fairnessOfProcesses: number;
}

/** Sums up the accounts of all processes. */
export function saleFigures({ results, stock, left }: SaleFacts): SaleFigures {
  const sales = results.flatMap((result) => result.sales);
  const logs = results.map((result) => result.sections);
  const times = logs.flatMap((log) => Array.from(log));
  const sold = sum(sales);
  return {
    sold,
    turnedAway: sum(results.map((result) => result.turnedAway)),
    failures: results.flatMap((result) => result.failures),
    oversold: sold - (stock - left),
    overlaps: countOverlaps(logs),
    sections: times.length / 2,
    durationMs: (highest(times) - lowest(times)) / 1e6,
    perBuyer: spreadOf(sales),
    waitMs: spreadOf(results.flatMap((result) => Array.from(result.waitsMs))),
    handOvers: sum(results.map((result) => result.handOvers)),
    commands: sum(results.map((result) => result.commands)),
    fairnessOfBuyers: jainIndex(sales),
    bestFairnessOfBuyers: jainIndex(sales.map((_, buyer) => shareOf(sold, sales.length, buyer))),
    fairnessOfProcesses: jainIndex(turnsInCommon(logs)),
  };
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

// Not Math.max(...figures): a million arguments exceed the stack.
function highest(figures: readonly number[]): number {
  return figures.reduce((most, figure) => Math.max(most, figure), -Infinity);
}

function lowest(figures: readonly number[]): number {
  return figures.reduce((least, figure) => Math.min(least, figure), Infinity);
}
