#!/usr/bin/env node
// Entry of `npm run bench`: installs this package on first use and after a change of its lock file, compiles it, and
// runs it with the given arguments.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installOwnPackages } from '../tools/own-packages.mjs';

const here = import.meta.dirname;
try {
  installOwnPackages('bench');
} catch (error) {
  console.error(error.message);
  process.exit(3);
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
