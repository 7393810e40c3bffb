import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { BackendName } from '../cli/run-options.js';
import { reasonOf } from '../report/reason-of.js';
import type { Ground } from './ground.js';
import { SharedMemory } from './shared-memory.js';
import { ServerError } from './server.error.js';

/** A ground with what to say about it and how to leave it. */
export interface OpenGround {
  readonly ground: Ground;
  /** Where things are kept, for the title of a report: `in memory`, `on a redis-server of this run`. */
  readonly label: string;
  readonly close: () => Promise<void>;
}

/** Finds or starts what the run needs. @throws ServerError when no Redis answers */
export async function openGround(backend: BackendName, url?: string): Promise<OpenGround> {
  if (backend === 'memory') {
    const ground: Ground = { kind: 'memory', memory: new SharedMemory() };
    return { ground, label: 'in memory', close: async () => undefined };
  }
  const prefix = `ecosphere:${randomUUID().slice(0, 8)}:`;
  const place = await openRedis(url);
  return { ground: { kind: 'redis', url: place.url, prefix }, label: place.label, close: place.close };
}

/** A Redis that answers: the one of the URL, else of REDIS_URL, else one that is started. @throws ServerError */
export async function openRedis(
  url?: string,
): Promise<{ readonly url: string } & Pick<OpenGround, 'label' | 'close'>> {
  if (url !== undefined) {
    await assertAnswers(url);
    return { url, label: `on the Redis at ${new URL(url).host}`, close: async () => undefined };
  }
  const server = await start();
  return {
    url: server.url,
    label:
      server.source === 'environment'
        ? `on the Redis of REDIS_URL, ${server.host}:${server.port}`
        : 'on a redis-server of this run',
    close: () => server.stop(),
  };
}

async function start(): Promise<RunningServer> {
  try {
    return await startRedis({ shared: true });
  } catch (error) {
    throw new ServerError(reasonOf(error), { cause: error });
  }
}

async function assertAnswers(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  // The reason comes as an event; the call itself only tells that the connection is closed.
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
