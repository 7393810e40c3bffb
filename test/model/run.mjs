#!/usr/bin/env node
// What `npm run model` starts: compiles this folder and runs the check with the arguments that were given.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const here = import.meta.dirname;
const compiler = join(here, '../../node_modules/typescript/bin/tsc');

const compiled = spawnSync(process.execPath, [compiler, '-p', here], { stdio: ['inherit', 2, 2] });
if (compiled.status !== 0) process.exit(3);
const checked = spawnSync(process.execPath, [join(here, 'dist/main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = checked.status ?? (checked.signal === 'SIGINT' ? 130 : 3);
