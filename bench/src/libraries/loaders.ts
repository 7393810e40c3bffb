import type { EngineName } from '../engines/engines.js';
import type { LibraryName } from './catalogue.js';
import type { OpenLibrary } from './open-lock.js';

const bedrock = () => import('./bedrock.js');
const telemetry = () => import('./bedrock-telemetry.js');
const bedrockOn = async (engine: EngineName) => (await import('./bedrock-engines.js')).openOn(engine);

/** A contender loads only its own library. */
const LOADERS: Readonly<Record<LibraryName, () => Promise<OpenLibrary>>> = {
  alone: async () => (await import('./alone.js')).open,
  raw: async () => (await import('./raw.js')).open,
  'raw-unanimous': async () => (await import('./raw-quorum.js')).openUnanimous,
  'raw-in-turn': async () => (await import('./raw-quorum.js')).openInTurn,
  'raw-scripts': async () => (await import('./raw-scripts.js')).open,
  'raw-guarded': async () => (await import('./raw-quorum.js')).openUnanimousAndGuarded,
  bedrock: async () => (await bedrock()).open,
  'bedrock-run': async () => (await bedrock()).openByRun,
  'bedrock-nest': async () => (await import('./bedrock-nest.js')).open,
  'bedrock-memory': async () => (await telemetry()).openAlone,
  'bedrock-producer': async () => (await telemetry()).openWithProducer,
  'bedrock-metrics': async () => (await telemetry()).openWithMetrics,
  'bedrock-prometheus': async () => (await telemetry()).openWithPrometheus,
  'bedrock-spans-off': async () => (await telemetry()).openWithoutSamples,
  'bedrock-spans': async () => (await telemetry()).openWithSpans,
  'bedrock-no-tokens': async () => (await bedrock()).openWithoutTokens,
  'bedrock-guarded': async () => (await bedrock()).openGuarded,
  'bedrock-fair': async () => (await bedrock()).openFair,
  'bedrock-read-write': async () => (await import('./bedrock-read-write.js')).open,
  'bedrock-semaphore': async () => (await import('./bedrock-semaphore.js')).open,
  'bedrock-latch': async () => (await import('./bedrock-latch.js')).open,
  'bedrock-sequential': async () => (await bedrock()).openSequential,
  'bedrock-majority': async () => (await bedrock()).openMajority,
  'redlock-4': async () => (await import('./redlock-4.js')).open,
  'redlock-5': async () => (await import('./redlock-5.js')).open,
  'sesamecare-redlock': async () => (await import('./sesamecare-redlock.js')).open,
  'redis-semaphore': async () => (await import('./redis-semaphore.js')).open,
  'redis-semaphore-8': async () => (await import('./redis-semaphore.js')).openSemaphore,
  'redlock-universal': async () => (await import('./redlock-universal.js')).open,
  verrou: async () => (await import('./verrou.js')).open,
  redisson: () => Promise.reject(new Error('Redisson runs in a JVM: bench/java')),
  'async-mutex': async () => (await import('./async-mutex.js')).open,
  'handler-alone': async () => (await import('./handler-alone.js')).open,
  'bedrock-idempotent': async () => (await import('./bedrock-idempotent.js')).open,
  'bedrock-idempotent-method': async () => (await import('./bedrock-idempotent.js')).openMethod,
  'node-idempotency': async () => (await import('./node-idempotency.js')).open,
  'raw-redis': async () => (await import('./raw.js')).open,
  'bedrock-redis': () => bedrockOn('redis'),
  'raw-zookeeper': async () => (await import('./raw-zookeeper.js')).open,
  'herd-zookeeper': async () => (await import('./herd-zookeeper.js')).open,
  'bedrock-zookeeper': () => bedrockOn('zookeeper'),
  'raw-etcd': async () => (await import('./raw-etcd.js')).open,
  'bedrock-etcd': () => bedrockOn('etcd'),
  'raw-postgres': async () => (await import('./raw-postgres.js')).open,
  'advisory-postgres': async () => (await import('./raw-postgres.js')).openAdvisory,
  'bedrock-postgres': () => bedrockOn('postgres'),
  'raw-mysql': async () => (await import('./raw-mysql.js')).open,
  'named-mysql': async () => (await import('./raw-mysql.js')).openNamed,
  'bedrock-mysql': () => bedrockOn('mysql'),
};

export function loadLibrary(name: LibraryName): Promise<OpenLibrary> {
  return LOADERS[name]();
}
