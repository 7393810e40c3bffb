/** What `npm run simulate` starts: compiles the simulation and the library, and runs it with the arguments that were given. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { answerUsage } from '../../tools/answer-usage.mjs';
import { transpile } from './transpile.mjs';

answerUsage(`npm run simulate -- [options]

Runs worlds of lost messages, stopped processes, crashed servers and drifting clocks, each made from a seed, and says which
broke a promise. Exits with 1 when one did, with 2 for wrong options.

  --seeds N      how many worlds (1000)
  --from N       the first seed (1)
  --workers N    processes (2)
  --seed N       this world alone
  --trace        with --seed: what happens in it
  --backend B    single or combination (both)
  --help
`);

const folder = mkdtempSync(join(tmpdir(), 'bedrock-simulation-'));
try {
  const simulation = transpile(folder);
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  const args = ['--enable-source-maps', join(simulation, 'main.js'), ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
