#!/usr/bin/env node
// What `npm run model` starts: compiles this folder and runs the check with the arguments that were given.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { answerUsage } from '../../tools/answer-usage.mjs';

answerUsage(`npm run model -- [options]

Searches every interleaving of two clients for two holders at once, and tells the smallest sets of faults that lead there:
T is a request that timed out, executed or not; C is a node that restarted empty. Exits with 1 when a set is not as expected,
with 2 for wrong options.

  --nodes N     only this number of nodes; may be given again
  --row ID      only this rule; may be given again; a wrong one is answered with the list
  --trace       the shortest way to two holders for each set (some take a minute and a gigabyte at 5 nodes)
  --help
`);

const here = import.meta.dirname;
const compiler = join(here, '../../node_modules/typescript/bin/tsc');

const compiled = spawnSync(process.execPath, [compiler, '-p', here], { stdio: ['inherit', 2, 2] });
if (compiled.status !== 0) process.exit(3);
const checked = spawnSync(process.execPath, [join(here, 'dist/main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = checked.status ?? (checked.signal === 'SIGINT' ? 130 : 3);
