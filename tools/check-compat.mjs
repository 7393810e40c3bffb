/**
 * Installs the packed libraries into the applications of `compat/`, as a user would, and runs them there: compiled by
 * their own compiler, on Node 20, 22 and 24, and tested by their own Jest or Vitest. The command line is installed and run
 * alone. Prints a line for each check; exits with 1 if one has failed. Needs the result of `npm run build`, npm, and a
 * Redis that it finds or starts.
 */
import { startRedis } from 'bedrock-servers';
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from './check.mjs';
import { installNodes, installPackages, run } from './install-packages.mjs';
import { packLibrary } from './pack-library.mjs';

const sources = fileURLToPath(new URL('../compat', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'bedrock-compat-'));

const JEST = ['node_modules/jest/bin/jest.js', '--ci'];
const JEST_OF_MODULES = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', ...JEST];
const VITEST = ['node_modules/vitest/vitest.mjs', 'run'];

/**
 * The applications: the folder of their packages (two may share one), the further ways in which a compiler may resolve
 * the libraries, and how they are tested, with the oldest Node for that.
 */
const APPLICATIONS = [
  {
    name: 'commonjs-nest-11',
    resolving: ['commonjs node10'],
    tests: [{ runner: 'jest', args: JEST, from: 20 }],
  },
  {
    name: 'esm-nest-12',
    resolving: ['esnext bundler'],
    tests: [
      { runner: 'vitest', args: VITEST, from: 20 },
      { runner: 'jest', args: JEST_OF_MODULES, from: 24 },
    ],
  },
  // Nest 12 is an ES module, so Jest can load it from CommonJS only if Node supports require() of ES modules.
  {
    name: 'commonjs-nest-11',
    packages: 'esm-nest-12',
    resolving: [],
    tests: [{ runner: 'jest', args: JEST_OF_MODULES, from: 24 }],
  },
];

/** Expected output of an application, by backend. */
const SEEN = {
  sale: { left: 0, crowd: 1, nested: 50, report: ['compat:audit', 'done'], audits: ['audited', null] },
  shop: {
    free: ['audited', 'audited'],
    health: 'ok',
    busy: { status: 409, retryAfter: true, code: 'LOCK_BUSY', message: 'LOCK_BUSY' },
    keyless: ['application/problem+json', 'IDEMPOTENCY_KEY_MISSING'],
    orders: [
      [201, 'ordered', '1', false],
      [201, 'ordered', '1', true],
    ],
  },
};
const EXPECTED = { memory: SEEN, redis: SEEN, oneCopy: { lock: true, nest: true, entered: 'stock' } };

/** Copies an application without installed packages and build output. @param {string} name @param {string} to */
function copyApplication(name, to) {
  const filter = (path) => !['node_modules', 'dist'].includes(basename(path));
  cpSync(join(sources, name), to, { recursive: true, filter });
}

/** @param {string} name @param {string[]} archives */
async function installApplication(name, archives) {
  copyApplication(name, join(work, name));
  await installPackages(archives, join(work, name));
}

/**
 * @param {typeof APPLICATIONS[number]} application @param {Record<string, string>} nodes
 * @param {string} url a database of its own
 */
async function checkApplication({ name, packages, resolving, tests }, nodes, url) {
  const env = { REDIS_URL: url };
  const label = packages === undefined ? name : `${name} with the packages of ${packages}`;
  const cwd = packages === undefined ? join(work, name) : mkdtempSync(join(work, 'mixed-'));
  if (packages !== undefined) {
    copyApplication(name, cwd);
    symlinkSync(join(work, packages, 'node_modules'), join(cwd, 'node_modules'), 'junction');
  }
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];
  if (!(await check(`${label}: tsc`, () => run(process.execPath, tsc, { cwd })))) return;
  for (const [module, moduleResolution] of resolving.map((pair) => pair.split(' '))) {
    const flags = ['--noEmit', '--module', module, '--moduleResolution', moduleResolution];
    if (moduleResolution === 'node10') flags.push('--resolvePackageJsonExports', 'false');
    await check(`${label}: tsc --moduleResolution ${moduleResolution}`, () =>
      run(process.execPath, [...tsc, ...flags], { cwd }),
    );
  }
  for (const [line, node] of Object.entries(nodes)) {
    await check(`${label}: node ${line}`, async () => {
      const { stdout, stderr } = await run(node, ['dist/main.js'], { cwd, env });
      assert.equal(stderr, '');
      assert.deepEqual(JSON.parse(stdout), EXPECTED);
    });
    for (const { runner, args } of tests.filter(({ from }) => from <= Number(line)))
      await check(`${label}: ${runner} on node ${line}`, () => run(node, args, { cwd, env }));
  }
}

/**
 * The command line, alone in a folder, runs a command under a lock.
 * @param {string[]} archives @param {Record<string, string>} nodes @param {string} url
 */
async function checkCommandLine(archives, nodes, url) {
  const cwd = join(work, 'command-line');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
  const isInstalled = await check('npm install: the command line', () => installPackages(archives, cwd));
  if (!isInstalled) return;
  await check('the command line: the program of the package', async () => {
    const { stdout } = await run('node_modules/.bin/bedrock', ['--version'], { cwd });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
  for (const [line, node] of Object.entries(nodes)) {
    await check(`the command line: node ${line}`, async () => {
      const command = ['sh', '-c', 'echo "$BEDROCK_RESOURCE: $((BEDROCK_TOKEN > 0))"'];
      const main = 'node_modules/bedrock-lock-cli/dist/main.js';
      const { stdout, stderr } = await run(node, [main, 'run', 'compat', '--', ...command], {
        cwd,
        env: { BEDROCK_URL: url },
      });
      assert.deepEqual({ stdout, stderr }, { stdout: 'compat: 1\n', stderr: '' });
    });
  }
}

const redis = await startRedis();
try {
  const [lock, nest, testkit, commandLine] = ['libs/lock', 'libs/nestjs', 'libs/testkit', 'libs/cli'].map(
    (folder) => packLibrary(folder, work).archive,
  );
  const archives = [lock, nest, testkit];
  let nodes = {};
  const installs = APPLICATIONS.filter(({ packages }) => packages === undefined).map(({ name }) => name);
  const isReady = await Promise.all([
    check('npm install: node 20, 22 and 24', async () => (nodes = await installNodes(join(work, 'nodes')))),
    ...installs.map((name) => check(`npm install: ${name}`, () => installApplication(name, archives))),
  ]);
  if (isReady.includes(false)) process.exitCode = 1;
  else {
    await Promise.all(APPLICATIONS.map((one, i) => checkApplication(one, nodes, `${redis.url}/${i}`)));
    await checkCommandLine([lock, commandLine], nodes, redis.url);
  }
} finally {
  await redis.stop();
  rmSync(work, { recursive: true, force: true });
}
