/** `npm run faults`, whose options are in run.mjs: every fault, on three and on five nodes. */
import { parseArgs } from 'node:util';
import { runCell, type CellResult } from './cell.js';
import { FAULTS } from './faults.js';
import { rowOf, tableOf } from './table.js';
import { assertSound } from './run-result.js';
import { writeResult } from './written-table.js';

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
    tellIfBroken(result);
  }
}
const table = tableOf(results);
console.log(`\n${table}`);
if (values.write) await writeResult('faults', table);
process.exitCode = results.some(({ violations }) => violations.length > 0) ? 1 : 0;

function tellIfBroken({ record }: CellResult): void {
  try {
    assertSound(record);
  } catch (error) {
    console.log((error as Error).message);
  }
}
