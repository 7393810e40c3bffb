/**
 * Packs every library as it would be published, and checks the archive with publint and arethetypeswrong. Also refuses
 * an archive that lacks its README or contains tests or build state.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packLibrary } from './pack-library.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'node_modules/.bin');
const unwanted = /\.spec\.|\.tsbuildinfo$|node_modules/;

/** @param {string} command @param {string[]} args */
function passes(command, args) {
  return spawnSync(join(bin, command), args, { cwd: root, stdio: 'inherit' }).status === 0;
}

const destination = mkdtempSync(join(tmpdir(), 'bedrock-packages-'));
try {
  for (const name of readdirSync(join(root, 'libs')).sort()) {
    console.log(`\n== libs/${name}`);
    const { archive, files } = packLibrary(`libs/${name}`, destination);
    const wrong = files.filter((file) => unwanted.test(file));
    if (wrong.length > 0) console.error(`must not be published: ${wrong.join(', ')}`);
    if (!files.includes('README.md')) console.error('README.md is missing');
    const results = [
      wrong.length === 0 && files.includes('README.md'),
      passes('publint', ['run', archive, '--strict']),
      passes('attw', [archive, '--no-emoji', '--format', 'ascii']),
    ];
    if (results.includes(false)) process.exitCode = 1;
  }
} finally {
  rmSync(destination, { recursive: true, force: true });
}
