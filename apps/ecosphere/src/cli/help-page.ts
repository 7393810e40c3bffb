import type { OptionRow } from './option-row.js';
import { OPTION_TABLE } from './option-table.js';

const HEAD = `Ecosphere, the proving ground of Bedrock: every scenario asserts what it prints.

  npm start                                          flash sale, locks in memory, one process
  npm start -- --no-lock                             the same without the lock: it oversells
  npm start -- --backend redis --processes 4         the same in four processes on a real Redis
  npm start -- --backend combination --chaos         on three Redis nodes, one of which is killed
  npm start -- --scenario all                        everything, on Redis and, for schemes, a MariaDB

Scenarios
  flash-sale   thousands of buyers, each purchase reads the stock, waits, writes it back
  lock-time    what one acquire and release costs, cold and warm
  contention   four flows of one process, then four processes, one counter
  lock-delay   a lock held for several leases: renewed, never lost
  stages       the five stages of a hand-made Redis lock, each under the fault that breaks it
  schemes      five ways to do a thing once with a database, under 50 requests at once, and Bedrock beside them

Options`;

const FOOT = `Exit codes
  0  every promise was kept
  1  a promise was broken: something was oversold, two were inside at once, a lock was lost
  2  a wrong option
  3  the run could not be carried out, for instance because no Redis answers`;

/** The page of `--help`. */
export function helpPage(): string {
  return [HEAD, ...optionLines(OPTION_TABLE), '', FOOT, ''].join('\n');
}

/** One line for each option, with its range. */
export function optionLines(rows: Readonly<Record<string, OptionRow>>): string[] {
  return Object.entries(rows).map(([name, { value, range, text }]) => {
    const usage = value === undefined ? `--${name}` : `--${name} ${value}`;
    return `  ${usage.padEnd(20)} ${text}${range === undefined ? '' : `, ${range[0]} to ${range[1]}`}`;
  });
}
