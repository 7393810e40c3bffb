/**
 * The documentation site: VitePress on docs/, with an API reference that TypeDoc makes from the doc comments. Its packages
 * are installed on the first use, since no other command needs them.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerUsage } from './answer-usage.mjs';
import { installOwnPackages } from './own-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = join(root, 'docs');

/** Packages by their folder in libs/. */
const PACKAGES = { lock: 'bedrock-lock', nestjs: 'nestjs-bedrock', testkit: 'bedrock-testkit' };

/** The entries of the reference, in the order of the site. */
const ENTRIES = [
  ...[
    'index',
    'memory',
    'redis',
    'combination',
    'zookeeper',
    'etcd',
    'postgres',
    'mysql',
    'backend',
    'integration',
    'opentelemetry',
    'prometheus',
  ].map((entry) => `libs/lock/src/${entry}.ts`),
  ...['index', 'swagger', 'telemetry', 'terminus', 'testing'].map((entry) => `libs/nestjs/src/${entry}.ts`),
  'libs/testkit/src/index.ts',
];

answerUsage(
  `npm run docs | npm run docs:build

Serves the documentation site, or builds it into docs/.vitepress/dist. Exits with 1 for a broken link, and for an export
without a sentence.

  --build   build it
  --port N  where it is served (5173)
  --help
`,
);

/** Runs a program of the site, and ends with its exit code if it fails. @param {string[]} args */
function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function makeReference() {
  rmSync(join(docs, 'api'), { recursive: true, force: true });
  run('tools/embed-lua.mjs');
  run('docs/node_modules/typedoc/bin/typedoc', '--options', 'docs/typedoc.json', ...ENTRIES);
  const pages = readdirSync(join(docs, 'api'), { recursive: true, encoding: 'utf8' });
  for (const page of pages.filter((name) => name.endsWith('README.md'))) nameEntries(join(docs, 'api', page));
}

/** TypeDoc calls an entry by its file: readers know it by what they import. @param {string} page */
function nameEntries(page) {
  const text = readFileSync(page, 'utf8').replaceAll(
    /(?<=^# |\[)(lock|nestjs|testkit)\/src(?=[/\]]|$)/gm,
    (_, folder) => PACKAGES[folder],
  );
  writeFileSync(page, text);
}

installOwnPackages('docs');
makeReference();
const [, , ...args] = process.argv;
if (args.includes('--build')) run('docs/node_modules/vitepress/bin/vitepress.js', 'build', 'docs');
else run('docs/node_modules/vitepress/bin/vitepress.js', 'dev', 'docs', ...args);
