#!/usr/bin/env node
// What `npm run faults` and `npm run soak` start, after a build: compiles this folder and runs `<program>.js` with the rest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const here = import.meta.dirname;
const compiler = join(here, '../../../node_modules/typescript/bin/tsc');
const [program, ...args] = process.argv.slice(2);

const compiled = spawnSync(process.execPath, [compiler, '-p', here], { stdio: ['inherit', 2, 2] });
if (compiled.status !== 0) process.exit(3);
const done = spawnSync(process.execPath, [join(here, 'dist', `${program}.js`), ...args], {
  stdio: 'inherit',
});
process.exitCode = done.status ?? 3;
