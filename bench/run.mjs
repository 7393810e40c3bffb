#!/usr/bin/env node
// Entry of `npm run bench`: installs this package on first use and after a change of its lock file, compiles it, and
// runs it with the given arguments.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const installed = join(here, 'node_modules/.bench-lock');
const lock = createHash('sha256')
  .update(readFileSync(join(here, 'package-lock.json')))
  .digest('hex');

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
  process.stderr.write('bench: installing the libraries to compare with\n');
  step('npm', ['ci', '--prefix', here, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']);
  writeFileSync(installed, lock);
}
step(process.execPath, [join(here, '../node_modules/typescript/bin/tsc'), '-p', here]);
process.exitCode = step(process.execPath, [join(here, 'dist/main.js'), ...process.argv.slice(2)], true);

/** Runs a command and keeps standard output free for results. A failed step ends the run. */
function step(command, args, isBench = false) {
  const { status, signal, error } = spawnSync(command, args, {
    stdio: ['inherit', isBench ? 'inherit' : 2, 2],
  });
  if (error !== undefined) throw error;
  if (status !== 0 && !isBench) process.exit(3);
  return status ?? (signal === 'SIGINT' ? 130 : 1);
}
