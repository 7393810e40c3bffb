#!/usr/bin/env node
// What `npm run faults` and `npm run soak` start, after a build: compiles this folder and runs `<program>.js` with the rest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { answerUsage } from '../../../tools/answer-usage.mjs';

const here = import.meta.dirname;
const compiler = join(here, '../../../node_modules/typescript/bin/tsc');
const [program, ...args] = process.argv.slice(2);
const usages = {
  'faults-main': `npm run faults -- [options]

A lock on several Redis nodes under every fault. Prints a table. Exits with 1 when a promise was broken, with 2 for wrong
options.

  --nodes LIST     numbers of nodes, with commas between them (3,5)
  --only TEXT      only faults with this in their name
  --injections N   how often each fault strikes (20)
  --cycles N       critical sections of each process (200)
  --seed N         of the dice (1)
  --write          writes the table into docs/safety/faults.md too
  --help
`,
  'soak-main': `npm run soak -- [options]

A lock on several Redis nodes under one fault after the other. Exits with 1 when a promise was broken, with 2 for wrong
options.

  --minutes N      how long (10)
  --nodes N        how many nodes (3)
  --processes N    how many processes (4)
  --keys N         how many keys (3)
  --seed N         of the dice (another one each time)
  --write          writes the result into docs/safety/faults.md too
  --unsafe         lets any one node suffice, whatever the others say, which must not go well
  --help
`,
};
answerUsage(usages[program], args);

const compiled = spawnSync(process.execPath, [compiler, '-p', here], { stdio: ['inherit', 2, 2] });
if (compiled.status !== 0) process.exit(3);
const done = spawnSync(process.execPath, [join(here, 'dist', `${program}.js`), ...args], {
  stdio: 'inherit',
});
process.exitCode = done.status ?? 3;
