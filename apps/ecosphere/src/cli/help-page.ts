import type { OptionRow } from './option-row.js';
import { OPTION_TABLE } from './option-table.js';

const HEAD = `Ecosphere, the demo of Bedrock: every scenario checks its own results.

  npm start                                          flash sale, locks in memory, one process
  npm start -- --no-lock                             the same without the lock: it oversells
  npm start -- --backend redis --processes 4         the same in four processes on a real Redis
  npm start -- --backend combination --chaos         on three Redis nodes, with one killed
  npm start -- --telemetry --linger 300              with metrics for a Prometheus, for five minutes more
  npm start -- --scenario all                        everything, on Redis and, for schemes, a MariaDB

Scenarios
  flash-sale   thousands of buyers; each purchase reads the stock, waits, writes it back
  lock-time    the time of one acquire and release, cold and warm
  contention   four flows of one process, then of four processes, on one counter
  lock-delay   a lock held for several leases: renewed and never lost
  stages       the five stages of a hand-made Redis lock, each under the fault that breaks it
  schemes      five ways to do a thing once with a database, under 50 concurrent requests, compared with Bedrock

Options`;

const FOOT = `Exit codes
  0  every check passed
  1  a check failed: an item was oversold, two callers held the lock at once, or a lock was lost
  2  an invalid option
  3  the run could not be completed, for instance because no Redis answers`;

/** The page of `--help`. */
export function helpPage(): string {
  return [HEAD, ...optionLines(OPTION_TABLE), '', FOOT, ''].join('\n');
}

/** One line for each option, with its range. */
export function optionLines(rows: Readonly<Record<string, OptionRow>>): string[] {
  const usageOf = ([name, { value }]: [string, OptionRow]): string =>
    value === undefined ? `--${name}` : `--${name} ${value}`;
  const width = Math.max(...Object.entries(rows).map((row) => usageOf(row).length));
  return Object.entries(rows).map((row) => {
    const [, { range, text }] = row;
    const numbers = range === undefined ? '' : ` (${range[0]} to ${range[1]})`;
    return `  ${usageOf(row).padEnd(width)}  ${text}${numbers}`;
  });
}
