import { describe, expect, it, jest } from '@jest/globals';
import { InvalidOptionError, type Backend } from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { memory } from 'bedrock-lock/memory';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { tryAll, type Parameter } from '../../bad-input/bad-values.js';

const url = (port: number): string => `redis://127.0.0.1:${port}`;
const three = [1, 2, 3].map((port) => redis(url(port)));
const make = (options: object): Backend => combination({ nodes: three, ...options });

function refused(options: object): InvalidOptionError {
  try {
    make(options);
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

const option = (name: string, ...good: string[]): Parameter => ({
  name,
  field: name,
  good: ['undefined', ...good],
  use: (v) => make({ [name]: v }),
});

const PARAMETERS: readonly Parameter[] = [
  { name: 'options', field: /^(options|nodes)/, good: [], use: (v) => combination(v as never) },
  { ...option('nodes'), good: [], field: /^nodes/ },
  { name: 'a node', field: 'nodes[1]', good: [], use: (v) => make({ nodes: [three[0], v, three[2]] }) },
  option('minNodes'),
  option('unsafeMinNodes', 'true'),
  option('strategy'),
  option('contention'),
  option('nodeTimeoutMs'),
  option('singleLockOperationMs'),
  option('attemptTimeoutMs'),
  { ...option('probe', 'an object'), field: /^probe/ },
  { ...option('probe.firstMs'), use: (v) => make({ probe: { firstMs: v } }) },
  { ...option('probe.lastMs'), use: (v) => make({ probe: { lastMs: v } }) },
  option('fencing', 'true'),
  option('maxLeaseMs'),
  option('coldStart'),
  option('clock'),
  option('options.unknown'),
];

describe('bad options of a combination', () => {
  it.each(PARAMETERS.map((parameter) => [parameter.name, parameter] as const))(
    'are refused for %s',
    async (name, parameter) => {
      const good = name === 'options.unknown' ? [] : parameter.good;
      const use = name === 'options.unknown' ? (v: unknown) => make({ unknown: v }) : parameter.use;
      await expect(tryAll({ ...parameter, good, use })).resolves.toEqual([]);
    },
  );

  it('refuses less than a majority unless it is asked for, and then warns', () => {
    const nodes = [1, 2, 3, 4, 5].map((port) => redis(url(port)));
    expect(refused({ nodes, minNodes: 2 })).toMatchObject({ field: 'minNodes' });
    expect(refused({ nodes, minNodes: 2 }).message).toContain('at least 3, the majority of 5 nodes');
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    make({ nodes, minNodes: 2, unsafeMinNodes: true });
    expect(warn).toHaveBeenCalledWith(expect.any(String), {
      type: 'BedrockWarning',
      code: 'BEDROCK_UNSAFE_MIN_NODES',
    });
    warn.mockRestore();
    expect(refused({ minNodes: 4 })).toMatchObject({ field: 'minNodes' });
  });

  it('refuses a node twice, one that is no single server, and one whose id is not given', () => {
    expect(refused({ nodes: [three[0], three[1], redis(url(1))] })).toMatchObject({ field: 'nodes[2]' });
    expect(refused({ nodes: [memory(), three[0]] })).toMatchObject({ field: 'nodes[0]' });
    expect(refused({ nodes: [three[0]] })).toMatchObject({ field: 'nodes' });
    const cluster = redis({ cluster: [url(7000)] });
    expect(() => make({ nodes: [cluster, three[0]] })).toThrow(/a cluster as a node/);
    const sentinels = redis({ connection: { sentinels: [{ host: '127.0.0.1', port: 1 }] } });
    expect(refused({ nodes: [sentinels, three[0]] })).toMatchObject({ field: 'nodes[0].nodeId' });
  });

  it('refuses kinds of locks that votes cannot count, when they are made', async () => {
    const { Bedrock } = await import('bedrock-lock');
    const bedrock = new Bedrock({ backend: make({}) });
    expect(() => bedrock.semaphore('pool', { permits: 2 })).toThrow(/does not support/);
    expect(() => bedrock.fairMutex('line')).toThrow(/does not support/);
    expect(() => bedrock.readWriteLock('book')).toThrow(/does not support/);
    expect(() => bedrock.countdownLatch('start')).toThrow(/does not support/);
    expect(() => bedrock.mutex('fenced', { fencing: true })).toThrow(/does not support/);
    await bedrock.close();
  });
});

describe('the id of a node', () => {
  const ids = (options: RedisOptions[]): string[] => {
    const backend = combination({ nodes: options.map((one) => redis(one)) });
    return backend.nodes!.views().map(({ id }) => id);
  };
  const other = { url: 'redis://zzz:1' };

  it.each<[string, RedisOptions, string]>([
    ['a url', { url: 'redis://user:secret@one:7001/2' }, 'one:7001/2'],
    ['a url without a port', { url: 'redis://one' }, 'one:6379'],
    ['a socket', { url: '/run/redis.sock' }, '/run/redis.sock'],
    ['a connection', { connection: { host: 'one', port: 7, db: 3 } }, 'one:7/3'],
    ['a client of ioredis', { client: new Redis({ host: 'one', port: 9, lazyConnect: true }) }, 'one:9'],
    ['a client of node-redis 6', { client: createClient({ url: 'redis://one:10/1' }) }, 'one:10/1'],
    ['a client of node-redis 5', { client: createClient5({ socket: { host: 'one', port: 11 } }) }, 'one:11'],
    ['Sentinels', { connection: { name: 'main', sentinels: [{ host: 'x', port: 1 }] } }, 'main'],
    ['its own', { url: 'redis://one', nodeId: 'left' }, 'left'],
  ])('comes from %s', (_what, options, id) => {
    expect(ids([options, other])[0]).toBe(id);
  });

  it('orders the nodes, however they are given', () => {
    const given = ['c', 'a', 'b'].map((nodeId) => ({ url: 'redis://one', nodeId }));
    expect(ids(given)).toEqual(['a', 'b', 'c']);
  });
});
