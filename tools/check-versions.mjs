/**
 * Runs processes of this build beside processes of an earlier build, on one server of each kind: two versions share every
 * server while an application is upgraded. Prints a line for each check; exits with 1 if one has failed. Needs the result
 * of `npm run build`, git, and servers that it finds or starts.
 */
import { startEtcd, startMariadb, startPostgres, startRedis, startZooKeeper } from 'bedrock-servers';
import * as testkitOfThis from 'bedrock-testkit';
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { answerUsage } from './answer-usage.mjs';
import { check } from './check.mjs';
import { run } from './install-packages.mjs';

answerUsage(`npm run check:versions -- [options]

Runs this build and that of an earlier commit side by side on Redis, PostgreSQL, MariaDB, etcd and ZooKeeper.

  --with COMMIT  the earlier commit (HEAD~1)
  --help
`);

const { values } = parseArgs({ options: { with: { type: 'string', default: 'HEAD~1' } } });
const root = fileURLToPath(new URL('..', import.meta.url));
const isCommit = await run('git', ['cat-file', '-e', `${values.with}^{commit}`], { cwd: root }).then(
  () => true,
  () => false,
);
if (!isCommit) {
  console.error(`--with must name a commit of this repository: ${values.with} is none`);
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), 'bedrock-versions-'));
const checkout = join(work, 'checkout');

/** Contenders of each build, and how long they go on, in ms. */
const PROCESSES = 2;
const FOR_MS = 3_000;

/** What the processes contend for. A read-write lock and a semaphore let several in, so they share no counter. */
const JOBS = {
  mutex: { tasks: 3, bodyMs: [0, 2], counter: true },
  'fair mutex': { kind: 'fairMutex', tasks: 2, bodyMs: [0, 2], counter: true },
  'read-write lock': { readWrite: { writes: 0.3 }, tasks: 3, bodyMs: [0, 2], counter: true },
  semaphore: { permits: { of: 3, take: [1, 2] }, tasks: 3, bodyMs: [0, 2], counter: false },
};

/** Each kind of server: how to start it, the entry of its backend, its options, and whether it has a schema. */
const SERVERS = {
  Redis: { start: startRedis, entry: 'redis', argsOf: ({ url }) => [url] },
  PostgreSQL: { start: startPostgres, entry: 'postgres', argsOf: ({ url }) => [url], hasSchema: true },
  MariaDB: { start: startMariadb, entry: 'mysql', argsOf: ({ url }) => [url], hasSchema: true },
  etcd: { start: startEtcd, entry: 'etcd', argsOf: ({ url }) => [url] },
  ZooKeeper: { start: startZooKeeper, entry: 'zookeeper', argsOf: ({ host, port }) => [`${host}:${port}`] },
};

/**
 * Builds an earlier commit with the packages that are installed here.
 * @returns {Promise<typeof testkitOfThis>} its testkit, whose processes load its library
 */
async function buildEarlier() {
  await run('git', ['worktree', 'add', '--detach', '--force', checkout, values.with], { cwd: root });
  const modules = join(checkout, 'node_modules');
  mkdirSync(modules);
  const libraries = {
    'bedrock-lock': 'libs/lock',
    'nestjs-bedrock': 'libs/nestjs',
    'bedrock-testkit': 'libs/testkit',
  };
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!(name in libraries)) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const [name, folder] of Object.entries(libraries))
    symlinkSync(join(checkout, folder), join(modules, name));
  const node = (...args) => run(process.execPath, args, { cwd: checkout });
  // Before that file, `tsc -b` alone built the modules that this needs.
  const packages = existsSync(join(checkout, 'tools/build-packages.mjs'));
  await node('tools/embed-lua.mjs');
  if (packages) await node('tools/build-packages.mjs', '--before-tsc');
  await node('node_modules/typescript/bin/tsc', '-b', 'libs/nestjs', 'libs/testkit');
  if (packages) await node('tools/build-packages.mjs');
  return import(pathToFileURL(join(checkout, 'libs/testkit/dist/index.js')).href);
}

/** Makes the tables, as the earlier version had them and as this one wants them. */
async function makeSchema(entry, args) {
  for (const folder of [checkout, root]) {
    const module = await import(pathToFileURL(join(folder, `libs/lock/dist/${entry}.js`)).href);
    const backend = module[entry](...args);
    await backend.ensureSchema();
    await backend.close();
  }
}

/** Both builds contend for one resource at the same time. @throws AssertionError for a broken promise */
async function contend(testkitOfEarlier, source, { counter, ...job }, name) {
  const counterFile = join(work, `${name}.counter`);
  writeFileSync(counterFile, '0');
  const jobsOf = (version) =>
    Array.from({ length: PROCESSES }, (_, i) => ({
      ...job,
      ...(counter && { counterFile }),
      resource: name,
      label: `${version} ${i + 1}`,
      forMs: FOR_MS,
      lock: { leaseMs: 20_000 },
    }));
  const histories = await Promise.all([
    testkitOfThis.runContendersAsProcesses(source, jobsOf('this')),
    testkitOfEarlier.runContendersAsProcesses(source, jobsOf('earlier')),
  ]);
  const history = histories.flat();
  const { failures, losses, turns, leases } = testkitOfThis.assertHistory(history);
  assert.deepEqual({ failures, losses }, { failures: {}, losses: [] });
  const labels = ['this', 'earlier'].flatMap((version) => jobsOf(version).map(({ label }) => label));
  assert.deepEqual(
    labels.filter((label) => !(turns[label] > 0)),
    [],
    'processes that never got the lock',
  );
  if (counter) {
    const isReading = 'readWrite' in job;
    const writes = history.filter((event) => event.kind === 'acquired' && (!isReading || event.token > 0));
    assert.equal(readFileSync(counterFile, 'utf8'), String(writes.length), 'updates, counted and kept');
  }
  return leases;
}

/** All kinds of locks on one kind of server. */
async function checkServer(testkitOfEarlier, title, { start, entry, argsOf, hasSchema = false }) {
  const server = await start();
  try {
    const args = argsOf(server);
    if (hasSchema) await makeSchema(entry, args);
    const source = { module: `bedrock-lock/${entry}`, factory: entry, args };
    for (const [what, job] of Object.entries(JOBS)) {
      const name = `${entry}-${what.replaceAll(' ', '-')}`;
      await check(`${title}: ${what}`, async () => {
        const leases = await contend(testkitOfEarlier, source, job, name);
        return `${leases} leases`;
      });
    }
  } finally {
    await server.stop();
  }
}

try {
  const testkitOfEarlier = await buildEarlier();
  for (const [title, server] of Object.entries(SERVERS)) await checkServer(testkitOfEarlier, title, server);
} finally {
  rmSync(work, { recursive: true, force: true });
  await run('git', ['worktree', 'prune'], { cwd: root });
}
