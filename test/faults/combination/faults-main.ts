/**
 * `npm run faults -- [--nodes 3] [--only kill] [--injections 20] [--cycles 200] [--seed 1] [--write]`: every fault, on three
 * and on five nodes. Prints a table, with `--write` into docs/safety.md too. Exits with 1 when a promise was broken.
 */
import { formatHistory } from 'bedrock-testkit';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCell, type CellResult } from './cell.js';
import { FAULTS } from './faults.js';
import { rowOf, tableOf } from './table.js';
import { writeTable } from './written-table.js';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3,5' },
    only: { type: 'string', default: '' },
    injections: { type: 'string', default: '20' },
    cycles: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const { injections, cycles, seed } = values;
const sizes = values.nodes.split(',').map(Number);
const faults = FAULTS.filter(({ name }) => name.includes(values.only));

const results: CellResult[] = [];
for (const fault of faults) {
  const cells = sizes.map((nodes) =>
    runCell({ fault, nodes, injections: Number(injections), cycles: Number(cycles), seed: Number(seed) }),
  );
  // At the same time: most of it is waiting.
  for (const result of await Promise.all(cells)) {
    results.push(result);
    console.log(rowOf(result).join(' | '));
    show(result);
  }
}
const table = tableOf(results);
console.log(`\n${table}`);
if (values.write) await writeTable(table);
process.exitCode = results.some(({ violations }) => violations.length > 0) ? 1 : 0;

function show({ violations, history }: CellResult): void {
  if (violations.length === 0) return;
  for (const text of violations.slice(0, 10)) console.log(`  ${text}`);
  const file = join(mkdtempSync(join(tmpdir(), 'bedrock-faults-')), 'history.jsonl');
  writeFileSync(file, formatHistory(history));
  console.log(`  the history is in ${file}`);
}
