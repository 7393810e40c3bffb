/**
 * What a release still lacks: prints a line for each, and exits with 1 if there is one. Publishes nothing. Needs the result
 * of `npm run build`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerUsage } from './answer-usage.mjs';
import { packLibrary } from './pack-library.mjs';

answerUsage(`npm run check:release

Lists what a release lacks: links in package.json, a dated changelog, versions in step, a clean checkout. Exits with 1 if
something is missing. Publishes nothing.

  --help
`);

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where users find the project; the owner of the packages decides. */
const LINKS = ['repository', 'homepage', 'bugs'];

const read = (file) => readFileSync(join(root, file), 'utf8');
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const manifests = Object.fromEntries(
  readdirSync(join(root, 'libs')).map((name) => [name, JSON.parse(read(`libs/${name}/package.json`))]),
);

/** @returns {string[]} */
function missingLinks() {
  return Object.entries(manifests).flatMap(([name, manifest]) =>
    LINKS.filter((field) => manifest[field] === undefined).map(
      (field) => `libs/${name}/package.json has no "${field}"`,
    ),
  );
}

/** @returns {string[]} */
function versionsOutOfStep() {
  const versions = new Set(Object.values(manifests).map(({ version }) => version));
  if (versions.size > 1) return [`the packages have several versions: ${[...versions].join(', ')}`];
  const [version] = versions;
  const ranges = Object.entries(manifests).flatMap(([name, { peerDependencies = {} }]) =>
    Object.entries(peerDependencies)
      .filter(([peer, range]) => peer.startsWith('bedrock-') && range !== `^${version}`)
      .map(([peer, range]) => `libs/${name} wants ${peer} ${range}, not ^${version}`),
  );
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm');
  const dated = heading.test(read('CHANGELOG.md'));
  return dated ? ranges : [...ranges, `CHANGELOG.md has no section "## ${version} (<date>)"`];
}

/** @returns {string[]} */
function openChangesets() {
  return readdirSync(join(root, '.changeset'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => `.changeset/${name} is not in the changelog`);
}

/** @returns {string[]} */
function uncommitted() {
  return git('status', '--porcelain') === '' ? [] : ['the checkout has uncommitted changes'];
}

const lacking = [...missingLinks(), ...versionsOutOfStep(), ...openChangesets(), ...uncommitted()];
const destination = mkdtempSync(join(tmpdir(), 'bedrock-release-'));
try {
  for (const [name, manifest] of Object.entries(manifests)) {
    const { files, packed, unpacked } = packLibrary(`libs/${name}`, destination);
    console.log(
      `${manifest.name} ${manifest.version}: ${files.length} files, ${packed} bytes packed, ${unpacked} unpacked`,
    );
  }
} finally {
  rmSync(destination, { recursive: true, force: true });
}
for (const problem of lacking) console.log(`missing: ${problem}`);
if (lacking.length > 0) process.exitCode = 1;
else console.log('nothing is missing');
