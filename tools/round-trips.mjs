/** Writes the tables of `test/contract/round-trips/tables` into the page on backends. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { answerUsage } from './answer-usage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/backends/README.md');
/** The text between them is written by this tool. */
const MARKS = { begin: '<!-- round trips -->', end: '<!-- end of round trips -->' };

/** Backends in the order of the page, each with the name of its table. */
export const BACKENDS = {
  memory: 'memory',
  redis: 'Redis',
  'redis-cluster': 'Redis Cluster',
  combination: 'combination, 3 nodes',
  zookeeper: 'ZooKeeper',
  etcd: 'etcd',
  postgres: 'PostgreSQL',
  mysql: 'MySQL, MariaDB',
};

export const PRIMITIVES = {
  mutex: 'mutex',
  fairMutex: 'fair mutex',
  multiLock: 'multi-lock of two',
  readLock: 'read lock',
  writeLock: 'write lock',
  semaphore: 'semaphore',
  countdownLatch: 'countdown latch',
  countingSemaphore: 'counting semaphore',
  expirableSemaphore: 'expirable semaphore',
  idempotency: 'idempotency',
};

const STEPS = /** @type {const} */ (['cycle', 'reentry', 'handOver', 'renewal', 'giveUp']);

/** @typedef {import('bedrock-testkit').RoundTripCosts} RoundTripCosts */

/**
 * @param {string} backend
 * @returns {RoundTripCosts}
 */
function tableOf(backend) {
  return JSON.parse(readFileSync(join(root, `test/contract/round-trips/tables/${backend}.json`), 'utf8'));
}

/** @param {import('bedrock-testkit').StepCosts | undefined} costs */
function cellOf(costs) {
  if (costs === undefined) return '';
  const shown = STEPS.map((step) => {
    const cost = costs[step];
    if (cost === undefined) return '-';
    return typeof cost === 'number' ? String(cost) : `${cost.least}…${cost.most}`;
  });
  return shown.join(' · ');
}

/** The page with the tables as they are. */
export async function pageWithRoundTrips() {
  const tables = Object.keys(BACKENDS).map(tableOf);
  const rows = [
    ['', ...Object.values(BACKENDS)],
    ['---', ...tables.map(() => '---')],
    ...Object.entries(PRIMITIVES).map(([primitive, name]) => [
      name,
      ...tables.map((table) => cellOf(table[/** @type {keyof RoundTripCosts} */ (primitive)])),
    ]),
  ];
  const text = readFileSync(page, 'utf8');
  const [before, after] = [text.indexOf(MARKS.begin), text.indexOf(MARKS.end)];
  if (before < 0 || after < before) throw new Error(`${page} does not say where the round trips stand`);
  const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const whole = `${text.slice(0, before)}${MARKS.begin}\n\n${table}\n\n${text.slice(after)}`;
  return format(whole, { ...(await resolveConfig(page)), filepath: page });
}

const USAGE = `node tools/round-trips.mjs [options]

Compares docs/backends/README.md with the numbers in test/contract/round-trips/tables. Exits with 1 where they differ;
exits with 2 for an invalid option.

  --update   write the page
  --help
`;

async function main() {
  answerUsage(USAGE);
  const wanted = await pageWithRoundTrips();
  if (wanted === readFileSync(page, 'utf8')) return;
  if (process.argv.includes('--update')) return writeFileSync(page, wanted);
  console.error('run `node tools/round-trips.mjs --update` and review the difference');
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
