/** `npm run soak`, whose options are in run.mjs: a lock under one fault after the other. */
import { parseArgs } from 'node:util';
import { soak } from './soak.js';
import { writeResult } from './written-table.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    nodes: { type: 'string', default: '3' },
    processes: { type: 'string', default: '4' },
    keys: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    unsafe: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const [minutes, nodes, processes, keys, seed] = [
  values.minutes,
  values.nodes,
  values.processes,
  values.keys,
  values.seed,
].map(Number) as [number, number, number, number, number];

const description = `${nodes} nodes, ${processes} processes, ${keys} keys, ${minutes} minutes, seed ${seed}`;
console.log(description);
const { violations, faults, leases, lost, increments } = await soak({
  ...{ minutes, nodes, processes, keys, seed },
  ...(values.unsafe && { rules: { minNodes: 1, unsafeMinNodes: true, strategy: 'majority' } }),
  log: (line) => console.log(line),
});
for (const text of violations.slice(0, 20)) console.log(`VIOLATION ${text}`);
const result =
  `${faults} faults, ${leases} leases, ${lost} lost, ${increments} increments: ` +
  (violations.length === 0 ? 'every counter is exact' : `${violations.length} violations, seed ${seed}`);
console.log(result);
if (values.write) await writeResult('soak', `${description}: ${result}.`);
process.exitCode = violations.length === 0 ? 0 : 1;
