/**
 * `npm run simulate -- --seeds 10000 [--from N] [--workers 2] [--backend single|combination]`, or `--seed N [--trace]`:
 * runs worlds, and says which broke a promise. Exits with 1 when one did.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { transpile } from './transpile.mjs';

const folder = mkdtempSync(join(tmpdir(), 'bedrock-simulation-'));
try {
  const simulation = transpile(folder);
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  const args = ['--enable-source-maps', join(simulation, 'main.js'), ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
