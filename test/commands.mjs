/**
 * Which command runs which spec file, and which servers the file needs. `test/repository/commands/commands.spec.ts` keeps this table complete.
 * The longest entry that fits a file decides, so a folder may be split: `test/unit/nestjs/` and `test/unit/nestjs/locking/key.spec.ts`.
 *
 * @typedef {'redis' | 'zookeeper' | 'etcd' | 'mysql' | 'postgres'} Engine
 * @typedef {Engine | 'chromium' | 'prometheus' | 'pgbouncer' | 'shells' | 'redisson' | 'sqlite' | 'packages' | 'orms'} Need
 *   `packages`: those of test/package.json; `orms`: of test/orm
 * @typedef {{ readonly name: string, readonly content: string, readonly boundS: number, readonly workers: number }} Command
 * @typedef {{ readonly command: string, readonly needs: readonly Need[], readonly files: readonly string[] }} Row
 */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['test', 'apps', 'libs'];

/** @type {readonly Engine[]} */
export const ENGINES = ['redis', 'zookeeper', 'etcd', 'mysql', 'postgres'];

/**
 * `boundS`: the longest a command may take on two cores, in s. Suites that mostly wait run in three or four workers; those
 * whose processes fill both cores, in fewer.
 * @type {readonly Command[]}
 */
export const COMMANDS = [
  {
    name: 'test',
    content: 'each rule once: units, Nest, Redis, all backends, 30 worlds',
    boundS: 300,
    workers: 3,
  },
  { name: 'test:nest', content: 'the rest of Nest', boundS: 300, workers: 3 },
  {
    name: 'test:redis',
    content: 'the whole contract on Redis, its clients, the cluster',
    boundS: 300,
    workers: 4,
  },
  { name: 'test:engines', content: 'ZooKeeper, etcd, MySQL, PostgreSQL, ensembles', boundS: 300, workers: 4 },
  { name: 'test:faults', content: 'real faults of servers, processes and networks', boundS: 400, workers: 3 },
  { name: 'test:interop', content: 'the wire format with the real Redisson', boundS: 300, workers: 2 },
  { name: 'test:browser', content: 'the web pages, in Chromium', boundS: 300, workers: 1 },
  { name: 'test:e2e', content: 'shop, demo, several processes', boundS: 300, workers: 2 },
  {
    name: 'test:telemetry',
    content: 'metrics, spans, dashboard and alerts, in a real Prometheus',
    boundS: 300,
    workers: 2,
  },
  { name: 'test:cli', content: 'the command line, on every engine', boundS: 300, workers: 3 },
  { name: 'test:docs', content: 'snippets and public API', boundS: 300, workers: 2 },
];

/** The longest that all of them may take on two cores, in s. */
export const ALL_BOUND_S = 1_500;

/**
 * Slow files first: Jest knows no times on a new machine, and a long file that comes last keeps one worker busy alone.
 * @type {readonly Row[]}
 */
export const ROWS = [
  { command: 'test', needs: ['mysql'], files: ['test/contract/mysql/mysql.short.spec.ts'] },
  { command: 'test', needs: ['etcd'], files: ['test/contract/etcd/etcd.short.spec.ts'] },
  { command: 'test', needs: ['postgres'], files: ['test/contract/postgres/postgres.short.spec.ts'] },
  { command: 'test', needs: ['zookeeper'], files: ['test/contract/zookeeper/zookeeper.short.spec.ts'] },
  {
    command: 'test',
    needs: ['redis'],
    files: [
      'test/contract/redis-cluster/redis-cluster.short.spec.ts',
      'test/contract/redis/redis.short.spec.ts',
      'test/contract/combination/combination.short.spec.ts',
      'test/unit/backends/combination/',
      'test/e2e/ecosphere/ecosphere.command.spec.ts',
      'apps/ecosphere/test/sale.repository.spec.ts',
      'apps/ecosphere/test/shop-front.spec.ts',
      'test/unit/backends/redis/fair.spec.ts',
      'test/unit/backends/redis/grants.spec.ts',
      'test/unit/backends/redis/guard.spec.ts',
      'test/unit/backends/redis/held-scripts.spec.ts',
      'test/unit/backends/redis/leases.spec.ts',
      'test/unit/backends/redis/scripts.spec.ts',
      'test/unit/backends/redis/tokens.spec.ts',
      'test/unit/backends/redis/resp-encoding.spec.ts',
    ],
  },
  {
    command: 'test',
    needs: [],
    files: [
      'test/simulation/simulation.spec.ts',
      'test/simulation/command.spec.ts',
      'test/unit/nestjs/idempotency/methods.spec.ts',
      'test/unit/nestjs/idempotency/registration.spec.ts',
      'test/unit/nestjs/idempotency/results.spec.ts',
      'test/repository/scripts/',
      'test/unit/bad-input/secrets.spec.ts',
      'test/repository/boundaries/boundaries.spec.ts',
      'test/contract/memory/memory.short.spec.ts',
      'test/contract/promises.spec.ts',
      'test/repository/commands/',
      'test/unit/',
      'test/mutants/',
      'test/repository/bench/',
      'apps/ecosphere/test/',
    ],
  },
  { command: 'test:e2e', needs: ['mysql'], files: ['apps/ecosphere/test/schemes.services.spec.ts'] },
  { command: 'test:redis', needs: [], files: ['test/contract/memory/memory.spec.ts'] },
  {
    command: 'test:nest',
    needs: ['redis', 'packages'],
    files: [
      'test/unit/nestjs/module/combination.spec.ts',
      'test/unit/nestjs/health/health.combination.spec.ts',
      'test/unit/nestjs/health/health.redis.spec.ts',
      'test/unit/nestjs/idempotency/crash.spec.ts',
      'test/unit/nestjs/leadership/jobs.spec.ts',
      'test/unit/nestjs/kinds/redis.spec.ts',
      'test/unit/nestjs/module/redis.spec.ts',
      'test/unit/nestjs/module/secrets.spec.ts',
    ],
  },
  {
    command: 'test:nest',
    needs: ['packages'],
    files: [
      'test/unit/nestjs/handlers/',
      'test/unit/nestjs/health/',
      'test/unit/nestjs/idempotency/',
      'test/unit/nestjs/kinds/health.spec.ts',
      'test/unit/nestjs/kinds/methods.spec.ts',
      'test/unit/nestjs/leadership/schedule.spec.ts',
      'test/unit/nestjs/locking/http.spec.ts',
      'test/unit/nestjs/locking/scopes.spec.ts',
      'test/unit/nestjs/module/degraded.spec.ts',
      'test/unit/nestjs/module/life-cycle.spec.ts',
      'test/unit/nestjs/module/log.spec.ts',
      'test/unit/nestjs/module/start.spec.ts',
      'test/unit/nestjs/telemetry/',
    ],
  },
  {
    command: 'test:redis',
    needs: ['redis', 'packages'],
    files: [
      'test/contract/redis-cluster/redis-cluster.spec.ts',
      'test/contract/redis/redis.spec.ts',
      'test/contract/combination/combination.spec.ts',
      'test/unit/backends/redis/cluster/failover.spec.ts',
      'test/unit/backends/redis/sentinel.spec.ts',
      'test/contract/redis/redis.ioredis-5.spec.ts',
      'test/contract/redis/redis.node-redis-5.spec.ts',
      'test/contract/redis/redis.node-redis-6.spec.ts',
      'test/unit/backends/redis/libraries.spec.ts',
      'test/unit/backends/redis/',
      'test/unit/backends/combination/options.spec.ts',
    ],
  },
  { command: 'test:engines', needs: ['mysql'], files: ['test/contract/mysql/mysql.spec.ts'] },
  { command: 'test:engines', needs: ['zookeeper'], files: ['test/contract/zookeeper/zookeeper.spec.ts'] },
  { command: 'test:engines', needs: ['postgres'], files: ['test/contract/postgres/postgres.spec.ts'] },
  { command: 'test:engines', needs: ['etcd'], files: ['test/contract/etcd/etcd.spec.ts'] },
  {
    command: 'test:engines',
    needs: ['etcd'],
    files: ['test/contract/etcd/etcd-ensemble.spec.ts', 'test/unit/backends/session-queue/etcd/'],
  },
  {
    command: 'test:engines',
    needs: ['zookeeper'],
    files: [
      'test/contract/zookeeper/zookeeper-ensemble.spec.ts',
      'test/unit/backends/session-queue/zookeeper/',
    ],
  },
  { command: 'test:engines', needs: ['mysql'], files: ['test/unit/backends/sql/mysql/'] },
  { command: 'test:engines', needs: ['postgres'], files: ['test/unit/backends/sql/postgres/'] },
  { command: 'test:faults', needs: ['redis', 'zookeeper'], files: ['test/faults/engines/zookeeper.spec.ts'] },
  { command: 'test:faults', needs: ['redis', 'etcd'], files: ['test/faults/engines/etcd.spec.ts'] },
  { command: 'test:faults', needs: ['redis', 'mysql'], files: ['test/faults/engines/mysql.spec.ts'] },
  { command: 'test:faults', needs: ['redis', 'postgres'], files: ['test/faults/engines/postgres.spec.ts'] },
  {
    command: 'test:faults',
    needs: ['redis'],
    files: [
      'test/faults/combination/faults.spec.ts',
      'test/faults/combination/soak.spec.ts',
      'test/simulation/differential.spec.ts',
      'test/faults/',
    ],
  },
  { command: 'test:faults', needs: ENGINES, files: ['test/faults/leaks.process.spec.ts'] },
  { command: 'test:faults', needs: [], files: ['test/model/'] },
  { command: 'test:interop', needs: ['redis', 'redisson'], files: ['test/interop/'] },
  {
    command: 'test:browser',
    needs: ['redis', 'zookeeper', 'mysql', 'chromium', 'packages'],
    files: ['test/browser/shop.page.spec.ts'],
  },
  { command: 'test:e2e', needs: [...ENGINES, 'packages'], files: ['test/e2e/', 'test/servers/'] },
  { command: 'test:cli', needs: [...ENGINES, 'pgbouncer'], files: ['test/e2e/cli/doctor/'] },
  { command: 'test:cli', needs: ENGINES, files: ['test/e2e/cli/terminal.spec.ts'] },
  { command: 'test:cli', needs: ['shells'], files: ['test/e2e/cli/completion.spec.ts'] },
  { command: 'test:cli', needs: ENGINES, files: ['test/e2e/cli/'] },
  { command: 'test:telemetry', needs: ['redis', 'prometheus', 'packages'], files: ['test/e2e/telemetry/'] },
  { command: 'test:telemetry', needs: ['prometheus'], files: ['test/e2e/telemetry/rules.spec.ts'] },
  { command: 'test:e2e', needs: [], files: ['test/repository/packages/'] },
  { command: 'test:telemetry', needs: ['packages'], files: ['test/unit/observability/'] },
  {
    command: 'test:docs',
    needs: [...ENGINES, 'packages', 'orms'],
    files: ['test/repository/docs/docs.spec.ts'],
  },
  { command: 'test:docs', needs: ['sqlite'], files: ['test/repository/docs/fencing.spec.ts'] },
  {
    command: 'test:docs',
    needs: [],
    files: ['test/repository/public-api/', 'test/repository/docs/'],
  },
];

/** Suites that judge real time, which `npm run test:repeat` runs again and again beside other load. */
export const REAL_TIME = [
  'test/contract/memory/memory.spec.ts',
  'test/contract/redis/redis.spec.ts',
  'test/contract/redis-cluster/redis-cluster.spec.ts',
  'test/contract/combination/combination.spec.ts',
  'test/contract/zookeeper/zookeeper.spec.ts',
  'test/contract/etcd/etcd.spec.ts',
  'test/contract/mysql/mysql.spec.ts',
  'test/contract/postgres/postgres.spec.ts',
  'test/unit/backends/combination/wakes.spec.ts',
  'test/faults/network.spec.ts',
  'test/faults/counting.spec.ts',
  'test/faults/restart.spec.ts',
  'test/faults/stopped-holder.spec.ts',
  'test/faults/engines/postgres.spec.ts',
  'test/interop/redisson/crowd.spec.ts',
];

/** Spec files of the repository, relative to its root. */
export function specFiles() {
  return filesOf(...FOLDERS)
    .filter((file) => file.endsWith('.spec.ts'))
    .sort();
}

/**
 * All files of the folders, relative to the root, without installed and built ones.
 * @param {...string} folders
 */
export function filesOf(...folders) {
  return folders.flatMap((folder) => filesIn(join(ROOT, folder))).map((file) => relative(ROOT, file));
}

/**
 * The row that decides about a spec file; undefined when none fits.
 * @param {string} file
 * @returns {Row | undefined}
 */
export function rowOf(file) {
  return bestOf(file)?.row;
}

/**
 * Where the file stands in the table.
 * @param {string} file
 */
export function rankOf(file) {
  const entry = bestOf(file)?.entry;
  return ROWS.flatMap((row) => row.files).findIndex((one) => one === entry);
}

/** @param {string} file */
function bestOf(file) {
  const [best] = ROWS.flatMap((row) =>
    row.files.filter((entry) => fits(entry, file)).map((entry) => ({ row, entry })),
  ).sort((a, b) => b.entry.length - a.entry.length);
  return best;
}

/**
 * @param {string} entry a file, or a folder that ends with a slash
 * @param {string} file
 */
export function fits(entry, file) {
  return entry.endsWith('/') ? file.startsWith(entry) : file === entry;
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesIn(path);
  });
}
