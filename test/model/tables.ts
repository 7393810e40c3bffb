import type { Cell } from './check-row.js';
import { MAIN_ROWS } from './rows.js';

/** The three rules side by side: a line for each number of nodes, a column for each rule. */
export function mainTable(cells: readonly Cell[]): string {
  const sizes = [...new Set(cells.map(({ nodes }) => nodes))];
  const columns = MAIN_ROWS.filter((row) => cells.some((cell) => cell.row === row));
  const lines = sizes.map((nodes) => [
    String(nodes),
    ...columns.map((row) => {
      const cell = cells.find((each) => each.row === row && each.nodes === nodes);
      return cell === undefined ? '' : verdictOf(cell);
    }),
  ]);
  return markdown(['nodes', ...columns.map(({ title }) => title)], lines);
}

/** One line for each search, with what it took. */
export function cellTable(cells: readonly Cell[]): string {
  const lines = cells.map((cell) => [
    cell.row.id,
    cell.row.title,
    String(cell.nodes),
    verdictOf(cell),
    String(cell.states),
    (cell.tookMs / 1000).toFixed(1),
  ]);
  return markdown(['row', 'rule', 'nodes', 'smallest sets of faults', 'states', 'seconds'], lines);
}

function verdictOf({ found, expected }: Cell): string {
  return found === expected ? found : `**${found}** instead of ${expected}`;
}

function markdown(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n');
}
