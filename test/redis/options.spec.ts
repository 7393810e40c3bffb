import { InvalidOptionError, MUTEX } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { Redis } from 'ioredis';
import { createServer } from 'node:net';
import { createClient, createClientPool, createSentinel } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { granted, RedisFixture } from './fixture.js';

const fixture = new RedisFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

const url = 'redis://127.0.0.1:1';
const ioredis = { host: '127.0.0.1', lazyConnect: true };
const sentinel = { name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] };

describe('bad options', () => {
  it.each<[field: string, options: unknown]>([
    ['options', undefined],
    ['options', null],
    ['options', 7],
    ['options', []],
    ['options', {}],
    ['options', { label: 'nowhere' }],
    ['options.hots', { url, hots: 'x' }],
    ['url', ''],
    ['url', 'http://127.0.0.1'],
    ['url', '127.0.0.1:6379'],
    ['url', 'redis//x'],
    ['url', { url: 7 }],
    ['url?keyPrefix', 'redis://127.0.0.1/0?keyPrefix=x'],
    ['connection', { connection: 'x' }],
    ['connection.keyPrefix', { connection: { keyPrefix: 'x:' } }],
    ['connection.enableOfflineQueue', { url, connection: { enableOfflineQueue: true } }],
    ['client', { client: {} }],
    ['client', { client: createSentinel(sentinel) }],
    ['client', { client: createClientPool({ url }) }],
    ['client', { client: createClient }],
    ['options', { url, client: new Redis(ioredis) }],
    ['options', { connection: { port: 1 }, client: createClient({ url }) }],
    ['label', { url, label: 5 }],
    ['label', { url, label: 'a\nb' }],
    ['operationTimeoutMs', { url, operationTimeoutMs: 0 }],
    ['operationTimeoutMs', { url, operationTimeoutMs: NaN }],
    ['operationTimeoutMs', { url, operationTimeoutMs: '5' }],
    ['operationTimeoutMs', { url, operationTimeoutMs: Infinity }],
    ['maxLeaseMs', { url, maxLeaseMs: 49 }],
    ['maxLeaseMs', { url, maxLeaseMs: 2 ** 31 }],
    ['maxLeaseMs', { url, maxLeaseMs: 100.5 }],
    ['restartGuard', { url, restartGuard: 'yes' }],
    ['coldStart', { url, coldStart: 'hope' }],
    ['strict', { url, strict: 1 }],
    ['replicaAcks', { url, replicaAcks: 1 }],
    ['replicaAcks', { url, replicaAcks: null }],
    ['replicaAcks', { url, replicaAcks: true }],
    ['replicaAcks.wait', { url, replicaAcks: { count: 1, wait: 5 } }],
    ['replicaAcks.count', { url, replicaAcks: {} }],
    ['replicaAcks.count', { url, replicaAcks: { count: 0 } }],
    ['replicaAcks.count', { url, replicaAcks: { count: 1.5 } }],
    ['replicaAcks.count', { url, replicaAcks: { count: 101 } }],
    ['replicaAcks.count', { url, replicaAcks: { count: '1' } }],
    ['replicaAcks.timeoutMs', { url, replicaAcks: { count: 1, timeoutMs: 0 } }],
    ['replicaAcks.timeoutMs', { url, replicaAcks: { count: 1, timeoutMs: Infinity } }],
    ['replicaAcks.timeoutMs', { url, replicaAcks: { count: 1, timeoutMs: 334 } }],
    ['replicaAcks.timeoutMs', { url, operationTimeoutMs: 300, replicaAcks: { count: 1, timeoutMs: 101 } }],
    ['clock', { url, clock: 'now' }],
  ])('%s: refused before anything is sent: %#', (field, options) => {
    const error = thrownBy(() => redis(options as RedisOptions));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ field });
  });

  it('never show a password', () => {
    expect(thrownBy(() => redis('http://user:secret@host')).message).not.toContain('secret');
  });

  it('open no connection, and neither do good ones before the first call', async () => {
    let connections = 0;
    const server = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    expect(() => redis({ connection: { port, host: '127.0.0.1' }, strict: 'x' as never })).toThrow();
    const backend = redis({ connection: { port, host: '127.0.0.1' } });
    await new Promise((resolve) => setImmediate(resolve));
    await backend.close();
    server.close();
    expect(connections).toBe(0);
  });
});

describe('good options', () => {
  it('may be a url, options of ioredis, both, or a client of each library', async () => {
    const { port } = fixture.server;
    const client = new Redis(port, { lazyConnect: true });
    for (const options of [
      { url: `redis://127.0.0.1:${port}/3` },
      { connection: { port, db: 3 } },
      { url: `redis://127.0.0.1:${port}`, connection: { db: 3 } },
      { client: new Redis(port, { lazyConnect: true, db: 3 }) },
      { client: createClient({ socket: { port }, database: 3, RESP: 2 }) },
      {
        client: createClient({ url: `redis://127.0.0.1:${port}/3`, RESP: 3 }).withTypeMapping({ 36: Buffer }),
      },
      { client: createClient5({ socket: { port }, database: 3, RESP: 2 }) },
      { client: createClient5({ url: `redis://127.0.0.1:${port}/3`, RESP: 3, clientSideCache: { ttl: 1 } }) },
    ]) {
      const backend = await fixture.backend(options);
      await granted(backend, 'lock');
      await client.select(3);
      expect(await client.hlen('lock')).toBe(1);
      await client.flushdb();
    }
    client.disconnect();
  });

  it('show in the traits and bounds', () => {
    const backend = fixture.unready({ maxLeaseMs: 60_000, operationTimeoutMs: 250 });
    expect(backend).toMatchObject({ name: 'redis', operationTimeoutMs: 250, commands: 0 });
    expect(backend.traits).toMatchObject({ push: true, fencing: true, inProcess: false, maxLeaseMs: 60_000 });
    expect(backend.processId).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });
});

describe("a user's client", () => {
  it('is read and never changed, whatever its options are', async () => {
    const client = new Redis(fixture.server.port, {
      keyPrefix: 'mine:',
      stringNumbers: true,
      enableAutoPipelining: true,
      connectionName: 'user',
      commandTimeout: 1,
      lazyConnect: true,
    });
    const events = client.eventNames().map((name) => [name, client.listenerCount(name)]);
    const options = { ...client.options };
    const backend = await fixture.backend({ client });
    await granted(backend, 'lock', { tokens: 2 });
    expect(await fixture.observer.hlen('lock')).toBe(1);
    await backend.leases.watch('lock', MUTEX, () => undefined);
    await backend.close();
    expect(client.options).toEqual(options);
    expect(client.eventNames().map((name) => [name, client.listenerCount(name)])).toEqual(events);
    expect(client.status).toBe('wait');
    client.options.commandTimeout = 5_000;
    expect(await client.set('still', 'works')).toBe('OK');
    expect(await fixture.observer.get('mine:still')).toBe('works');
    client.disconnect();
  });

  it('of node-redis is read and never changed, whatever its options are', async () => {
    const client = createClient({
      url: fixture.server.url,
      keyPrefix: 'mine:',
      RESP: 3,
      name: 'user',
      commandOptions: { timeout: 1, typeMapping: { 58: String } },
      emitInvalidate: true,
      pingInterval: 1,
      socket: { reconnectStrategy: false, socketTimeout: 1 },
    });
    const events = client.eventNames();
    const options = { ...client.options, socket: { ...client.options.socket } };
    const backend = await fixture.backend({ client });
    await granted(backend, 'lock', { tokens: 2 });
    expect(await fixture.observer.hlen('lock')).toBe(1);
    await backend.leases.watch('lock', MUTEX, () => undefined);
    await backend.close();
    expect(client.options).toEqual(options);
    expect(client.eventNames()).toEqual(events);
    expect(client.isOpen).toBe(false);
  });
});

function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
