import { ENGINE_NAMES, type EngineName } from '../engines/engines.js';

/** Every possible row of a table, with its title. */
const TITLES = {
  alone: 'the body alone',
  raw: 'raw',
  'raw-unanimous': 'raw, waits for all',
  'raw-in-turn': 'raw, one node after the other',
  'raw-scripts': 'raw scripts',
  'raw-guarded': 'raw scripts, guarded',
  bedrock: 'Bedrock',
  'bedrock-run': 'Bedrock run',
  'bedrock-nest': 'Bedrock decorated',
  'bedrock-memory': 'Bedrock in memory',
  'bedrock-prometheus': 'with prom-client',
  'bedrock-producer': 'with an OpenTelemetry producer',
  'bedrock-metrics': 'with an OpenTelemetry meter',
  'bedrock-spans-off': 'with spans, none sampled',
  'bedrock-spans': 'with spans, all recorded',
  'bedrock-no-tokens': 'Bedrock, no tokens',
  'bedrock-guarded': 'Bedrock, restartGuard',
  'bedrock-fair': 'Bedrock fair mutex',
  'bedrock-read-write': 'Bedrock read-write lock',
  'bedrock-semaphore': 'Bedrock semaphore',
  'bedrock-latch': 'Bedrock latch',
  'bedrock-sequential': 'Bedrock, one node after the other',
  'bedrock-majority': 'Bedrock, majority',
  'redlock-4': 'redlock 4',
  'redlock-5': 'redlock 5 beta',
  'sesamecare-redlock': '@sesamecare-oss/redlock',
  'redis-semaphore': 'redis-semaphore',
  'redis-semaphore-8': 'redis-semaphore, its Semaphore',
  'redlock-universal': 'redlock-universal',
  verrou: 'verrou',
  redisson: 'Redisson 4.7.0',
  'async-mutex': 'async-mutex (in process)',
  'handler-alone': 'the handler alone',
  'bedrock-idempotent': 'Bedrock @Idempotent(), handler',
  'bedrock-idempotent-method': 'Bedrock @Idempotent(), method',
  'node-idempotency': '@node-idempotency/nestjs',
  'raw-redis': 'Redis, raw',
  'bedrock-redis': 'Redis, Bedrock',
  'raw-zookeeper': 'ZooKeeper, raw',
  'herd-zookeeper': 'ZooKeeper, one node for all',
  'bedrock-zookeeper': 'ZooKeeper, Bedrock',
  'raw-etcd': 'etcd, raw',
  'bedrock-etcd': 'etcd, Bedrock',
  'raw-postgres': 'PostgreSQL, raw',
  'advisory-postgres': 'PostgreSQL, pg_advisory_lock',
  'bedrock-postgres': 'PostgreSQL, Bedrock',
  'raw-mysql': 'MariaDB, raw',
  'named-mysql': 'MariaDB, GET_LOCK',
  'bedrock-mysql': 'MariaDB, Bedrock',
} as const;

export type LibraryName = keyof typeof TITLES;

export const LIBRARY_NAMES = Object.keys(TITLES) as readonly LibraryName[];

/** The other libraries that lock across processes, in every scenario. */
export const PEERS = [
  'redlock-4',
  'redlock-5',
  'sesamecare-redlock',
  'redis-semaphore',
  'redlock-universal',
  'verrou',
] as const satisfies readonly LibraryName[];

export function titleOf(library: LibraryName): string {
  return TITLES[library];
}

/** The engine of a row that names one; the others are on Redis. */
export function engineOf(library: LibraryName): EngineName {
  return ENGINE_NAMES.find((engine) => library.endsWith(`-${engine}`)) ?? 'redis';
}
