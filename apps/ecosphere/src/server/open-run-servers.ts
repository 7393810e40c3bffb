import type { Backend } from 'bedrock-lock';
import { startRedis } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { RunOptions } from '../cli/run-options.js';
import { reasonOf } from '../report/reason-of.js';
import { withArticle } from '../report/with-article.js';
import { ENGINES } from './engines.js';
import {
  COMBINATION_LEASE_MS,
  type CombinationRules,
  type EngineName,
  type RunServers,
} from './run-servers.js';
import { SharedMemory } from './shared-memory.js';
import { asServerError, ServerError } from './server.error.js';
import { startNodes, type StartedNode } from './start-nodes.js';

/** Servers with their description and their clean-up. */
export interface OpenRunServers {
  readonly servers: RunServers;
  /** Location of the locks, for the title of a report: `in memory`, `on a redis-server of this run`. */
  readonly label: string;
  /** Nodes of a combination started for the run. */
  readonly nodes: readonly StartedNode[];
  readonly close: () => Promise<void>;
}

/** What every process sets for its locks. */
interface LockSettings {
  readonly prefix: string;
  readonly operationTimeoutMs?: number;
}

/** Finds or starts the servers of the run. @throws ServerError if a server does not answer */
export async function openRunServers(options: RunOptions): Promise<OpenRunServers> {
  const { backend, urls = [], operationTimeoutMs } = options;
  const timeout = operationTimeoutMs === undefined ? {} : { operationTimeoutMs };
  if (backend === 'memory') {
    const servers: RunServers = { kind: 'memory', memory: new SharedMemory() };
    return { servers, label: 'in memory', nodes: [], close: async () => undefined };
  }
  const prefix = `ecosphere:${randomUUID().slice(0, 8)}:`;
  if (backend === 'combination') return openCombination(options, { prefix, ...timeout });
  if (backend !== 'redis') return openEngine(backend, urls[0], { prefix, ...timeout });
  const { url, label, close } = await openRedis(urls[0]);
  return { servers: { kind: 'redis', url, prefix, ...timeout }, label, nodes: [], close };
}

/** The nodes, and another server for the data, which has to stay when nodes restart. */
async function openCombination(
  { urls, nodes: count = 3, leaseMs = COMBINATION_LEASE_MS, strategy, contention }: RunOptions,
  settings: LockSettings,
): Promise<OpenRunServers> {
  for (const url of urls ?? []) await assertAnswers(url);
  const nodes = urls === undefined ? await startNodes(count) : [];
  const data = await openRedis().catch(async (error: unknown) => {
    await stopAll(nodes);
    throw error;
  });
  const locations =
    urls?.map((url) => ({ url })) ?? nodes.map(({ nodeId, server: { url } }) => ({ nodeId, url }));
  const rules: CombinationRules = {
    locations,
    ...(strategy !== undefined && { strategy }),
    ...(contention !== undefined && { contention }),
    // Other clients of the user's servers use the library's default.
    ...(urls === undefined && { maxLeaseMs: leaseMs }),
  };
  return {
    servers: { kind: 'combination', rules, url: data.url, ...settings },
    label: urls === undefined ? `on ${count} redis-servers of this run` : `on ${urls.length} given nodes`,
    nodes,
    close: async () => {
      await Promise.all([stopAll(nodes), data.close()]);
    },
  };
}

/** The engine for the locks, and a Redis for the data. */
async function openEngine(
  engine: EngineName,
  url: string | undefined,
  settings: LockSettings,
): Promise<OpenRunServers> {
  const one = ENGINES[engine];
  const { title, variable } = one;
  const { prefix: _, ...options } = settings;
  const locks = url === undefined ? await asServerError(one.start()) : undefined;
  const locksUrl = url ?? locks!.url;
  try {
    await asServerError(one.prepare?.(locksUrl, options) ?? answers(await one.backend(locksUrl, options)));
    const data = await openRedis();
    const location =
      locks?.source === 'environment' ? `the ${title} of ${variable}` : `${withArticle(title)} of this run`;
    return {
      servers: { kind: 'engine', engine, locksUrl, url: data.url, ...settings },
      label: `on ${locks === undefined ? `the ${title} at ${new URL(locksUrl).host}` : location}`,
      nodes: [],
      close: async () => {
        await Promise.all([locks?.stop(), data.close()]);
      },
    };
  } catch (error) {
    await locks?.stop();
    throw error;
  }
}

async function answers(backend: Backend): Promise<void> {
  try {
    await backend.ready();
  } finally {
    await backend.close();
  }
}

async function stopAll(nodes: readonly StartedNode[]): Promise<void> {
  await Promise.all(nodes.map(({ server }) => server.stop()));
}

/** A Redis that answers: that of the URL, else of REDIS_URL, else a started one. @throws ServerError */
export async function openRedis(
  url?: string,
): Promise<{ readonly url: string } & Pick<OpenRunServers, 'label' | 'close'>> {
  if (url !== undefined) {
    await assertAnswers(url);
    return { url, label: `on the Redis at ${new URL(url).host}`, close: async () => undefined };
  }
  const server = await asServerError(startRedis({ shared: true }));
  return {
    url: server.url,
    label:
      server.source === 'environment'
        ? `on the Redis of REDIS_URL, ${server.host}:${server.port}`
        : 'on a redis-server of this run',
    close: () => server.stop(),
  };
}

async function assertAnswers(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  // The reason comes as an event; the call itself only reports a closed connection.
  let reason: unknown;
  client.on('error', (error) => (reason = error));
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    const why = reason ?? error;
    throw new ServerError(`Redis at ${new URL(url).host} does not answer: ${reasonOf(why)}`, { cause: why });
  } finally {
    client.disconnect();
  }
}
