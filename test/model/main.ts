import { parseArgs } from 'node:util';
import { checkRow, type Cell } from './check-row.js';
import { nameOf } from './faults.js';
import { BAD_ROWS, MAIN_ROWS, VARIANT_ROWS, type Row } from './rows.js';
import { shortestPath } from './shortest-path.js';
import { cellTable, mainTable } from './tables.js';

const ROWS = [...MAIN_ROWS, ...VARIANT_ROWS, ...BAD_ROWS];

/** Entry of `npm run model`, whose options are in run.mjs. Answers 0 when all is as expected, 1 when it is not, 2 when there is nothing to check. */
function main(args: readonly string[]): number {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string', multiple: true },
      row: { type: 'string', multiple: true },
      trace: { type: 'boolean', default: false },
    },
  });
  const isWanted = (row: Row, nodes: number): boolean =>
    (values.row?.includes(row.id) ?? true) && (values.nodes?.includes(String(nodes)) ?? true);
  const unknown = values.row?.find((id) => !ROWS.some((row) => row.id === id));
  const jobs = ROWS.flatMap((row) =>
    [...row.expected.keys()].filter((nodes) => isWanted(row, nodes)).map((nodes) => ({ row, nodes })),
  );
  if (unknown !== undefined || jobs.length === 0) {
    process.stderr.write(
      unknown === undefined
        ? 'No rule is checked at that size.\n'
        : `No row "${unknown}" among ${ROWS.map(({ id }) => id).join(', ')}.\n`,
    );
    return 2;
  }
  const cells = jobs.map(({ row, nodes }) => {
    process.stderr.write(`${row.id}, ${nodes} nodes\n`);
    return checkRow(row, nodes);
  });
  const mainCells = cells.filter(({ row }) => MAIN_ROWS.includes(row));
  if (mainCells.length > 0) print(`${mainTable(mainCells)}\n\n`);
  print(`${cellTable(cells)}\n`);
  if (values.trace) cells.forEach(printTraces);
  const wrong = cells.filter(({ found, expected }) => found !== expected);
  print(
    wrong.length === 0 ? '\nAll as expected.\n' : `\n${wrong.length} of ${cells.length} not as expected.\n`,
  );
  return wrong.length === 0 ? 0 : 1;
}

function printTraces({ row, nodes, smallest }: Cell): void {
  for (const faults of smallest) {
    print(`\n${row.id}, ${nodes} nodes, ${nameOf(faults)}:\n`);
    const path = shortestPath(row.ruleFor(nodes), faults) ?? [];
    path.forEach((line, index) => print(`  ${String(index + 1).padStart(2)}. ${line}\n`));
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
