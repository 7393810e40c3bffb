import type { OptionRow } from './option-row.js';
import { BACKEND_NAMES, CONTENTIONS, SCENARIO_NAMES, STRATEGIES, type ScenarioName } from './run-options.js';

const SALE: readonly ScenarioName[] = ['flash-sale'];

/** All buyers wait at once, so their number is also the bound on waiters. */
export const MAX_BUYERS = 50_000;

export const OPTION_TABLE = {
  scenario: {
    value: '<name>',
    words: [...SCENARIO_NAMES, 'all'],
    text: 'a scenario from the list above, or all; default flash-sale',
  },
  backend: {
    value: '<name>',
    words: BACKEND_NAMES,
    text: 'where the locks live: memory, redis, combination, zookeeper, etcd, mysql or postgres; default memory, redis for stages, schemes and all',
  },
  url: {
    value: '<url>',
    isList: true,
    text: 'the server of the locks, given once for each node of a combination; else REDIS_URL (ZOOKEEPER_URL, ETCD_URL, MYSQL_URL, POSTGRES_URL), else servers that the run starts and stops',
  },
  nodes: {
    value: '<n>',
    range: [3, 9],
    backend: 'combination',
    text: 'redis-servers that the run starts as nodes; default 3',
  },
  chaos: {
    scenarios: SALE,
    backend: 'combination',
    text: 'kill the left-most node during the sale and restart it empty',
  },
  strategy: {
    value: '<name>',
    words: STRATEGIES,
    backend: 'combination',
    text: 'leftmost or majority; default leftmost',
  },
  contention: {
    value: '<name>',
    words: CONTENTIONS,
    backend: 'combination',
    text: 'parallelFirst or sequential; default parallelFirst',
  },
  processes: {
    value: '<n>',
    range: [1, 64],
    scenarios: ['flash-sale', 'contention'],
    text: 'processes that compete; default 1, contention on servers 4',
  },
  telemetry: {
    scenarios: SALE,
    text: 'serve Prometheus metrics of each process on 127.0.0.1, and print what they say',
  },
  'metrics-port': {
    value: '<n>',
    range: [0, 65_000],
    scenarios: SALE,
    text: 'the port of the first process with --telemetry, and the next ones for the others; default 9464, 0 for any',
  },
  linger: {
    value: '<s>',
    range: [0, 3_600],
    scenarios: SALE,
    text: 'seconds for which --telemetry serves metrics after the sale; default 0',
  },
  'no-lock': { scenarios: SALE, text: 'sell without the lock, to show overselling (exit code 1)' },
  buyers: {
    value: '<n>',
    range: [1, MAX_BUYERS],
    scenarios: SALE,
    text: 'concurrent buyers; default 3000',
  },
  purchases: {
    value: '<n>',
    range: [1, 1_000_000],
    scenarios: SALE,
    text: 'total purchases; default 10000',
  },
  stock: {
    value: '<n>',
    range: [0, 1_000_000],
    scenarios: SALE,
    text: 'items in stock; default: the number of purchases',
  },
  rounds: {
    value: '<n>',
    range: [1, 100_000],
    scenarios: ['lock-time', 'contention'],
    text: 'warm rounds of lock-time, default 2000; turns of each flow of contention, 50',
  },
  'lease-ms': {
    value: '<ms>',
    range: [100, 30_000],
    text: 'lease length; default 10000, on a combination 500, lock-delay and stages 300',
  },
  'operation-timeout-ms': {
    value: '<ms>',
    range: [20, 30_000],
    scenarios: ['flash-sale', 'lock-time', 'contention', 'lock-delay'],
    text: 'longest request for a lock; default 1000, on a combination 50 for each node',
  },
  'hold-ms': {
    value: '<ms>',
    range: [200, 120_000],
    scenarios: ['lock-delay'],
    text: 'how long lock-delay holds the lock; default 5 leases',
  },
  requests: {
    value: '<n>',
    range: [2, 100],
    scenarios: ['schemes'],
    text: 'concurrent requests, each on its own database connection; an even number; default 50',
  },
  database: {
    value: '<url>',
    scenarios: ['schemes'],
    text: 'the MariaDB or MySQL of schemes, where the run creates and drops a database; else MYSQL_URL, else a server that the run starts and stops',
  },
  help: { text: 'show this page' },
} as const satisfies Record<string, OptionRow>;

export type OptionName = keyof typeof OPTION_TABLE;

/** One row, with all fields of the interface. */
export function optionRow(name: OptionName): OptionRow {
  return OPTION_TABLE[name];
}

export const OPTION_NAMES = Object.keys(OPTION_TABLE) as readonly OptionName[];
