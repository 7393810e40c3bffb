/**
 * Folders with packages and a lock file of their own, so that only the command that needs them installs them. As a program,
 * `node tools/own-packages.mjs <folder>…` installs those of the named folders.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Names the lock file that the installed packages come from. */
const MARKER = 'node_modules/.bedrock-lock-file';

/**
 * Installs the packages of a folder on first use, and after a change of its lock file. Output goes to standard error.
 * @param {string} folder relative to the root
 * @throws Error if npm fails
 */
export function installOwnPackages(folder) {
  const cwd = join(root, folder);
  const marker = join(cwd, MARKER);
  const lockFile = createHash('sha256')
    .update(readFileSync(join(cwd, 'package-lock.json')))
    .digest('hex');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === lockFile) return;
  process.stderr.write(`installing the packages of ${folder}/package.json\n`);
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci in ${folder} failed`);
  writeFileSync(marker, lockFile);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  for (const folder of process.argv.slice(2)) installOwnPackages(folder);
