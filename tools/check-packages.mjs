/**
 * Packs every library as it would be published, and checks the archive with publint and arethetypeswrong. Also refuses
 * an archive that lacks its README, contains tests, sources or build state, has a source map without its sources, or is
 * larger than its limit.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from './check.mjs';
import { packLibrary } from './pack-library.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'tools/node_modules/.bin');
const unwanted = /\.spec\.|\.tsbuildinfo$|node_modules|^src\//;

/** The largest archive of each library: bytes packed and unpacked, and files. */
const LIMITS = {
  cli: { packed: 150_000, unpacked: 550_000, files: 160 },
  lock: { packed: 760_000, unpacked: 3_500_000, files: 900 },
  nestjs: { packed: 400_000, unpacked: 2_000_000, files: 800 },
  testkit: { packed: 400_000, unpacked: 2_000_000, files: 800 },
};

/** Files that the documentation tells users to take from a package. */
const NAMED_IN_DOCS = { lock: ['dist/mysql.sql', 'dist/postgres.sql'] };

/** @param {string} command @param {string[]} args */
function passes(command, args) {
  const { status } = spawnSync(join(bin, command), args, { cwd: root, stdio: 'inherit' });
  assert.equal(status, 0, `${command} exits with ${status}`);
}

/** @param {string} library @param {{ files: string[], packed: number, unpacked: number }} pack */
function checkContent(library, { files, packed, unpacked }) {
  assert.deepEqual(
    files.filter((file) => unwanted.test(file)),
    [],
    'must not be published',
  );
  assert.ok(files.includes('README.md') && files.includes('LICENSE'), 'README.md or LICENSE is missing');
  const missing = (NAMED_IN_DOCS[library] ?? []).filter((file) => !files.includes(file));
  assert.deepEqual(missing, [], 'named in the documentation, and not in the archive');
  const maps = files.filter((file) => file.endsWith('.map'));
  const bare = maps.filter((file) => {
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(root, 'libs', library, file), 'utf8'));
    return sourcesContent?.length !== sources.length;
  });
  assert.ok(maps.length > 0, 'no source map');
  assert.deepEqual(bare, [], 'source maps without their sources');
  for (const [name, size] of Object.entries({ packed, unpacked, files: files.length }))
    assert.ok(size <= LIMITS[library][name], `${name}: ${size}, at most ${LIMITS[library][name]}`);
  return `${files.length} files, ${kilobytes(packed)} packed, ${kilobytes(unpacked)} unpacked`;
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${Math.round(bytes / 1_000)} kB`;
}

const destination = mkdtempSync(join(tmpdir(), 'bedrock-packages-'));
try {
  for (const name of readdirSync(join(root, 'libs')).sort()) {
    const pack = packLibrary(`libs/${name}`, destination);
    await check(`libs/${name}: content`, () => checkContent(name, pack));
    await check(`libs/${name}: publint`, () => passes('publint', ['run', pack.archive, '--strict']));
    // A program has nothing to import, so it has no types.
    if (name === 'cli') continue;
    await check(`libs/${name}: arethetypeswrong`, () =>
      passes('attw', [pack.archive, '--no-emoji', '--format', 'ascii']),
    );
  }
} finally {
  rmSync(destination, { recursive: true, force: true });
}
