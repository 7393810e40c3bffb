import { MUTEX } from 'bedrock-lock/backend';
import { redis } from 'bedrock-lock/redis';
import { granted } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { createServer } from 'node:net';
import { createClient, createClientPool, createSentinel } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { RedisFixture } from './fixture.js';
import { badOptions, refusesBadOptions } from '../../../support/bad-options.js';
import { thrownBy } from '../../../support/thrown-by.js';

const fixture = new RedisFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

const url = 'redis://127.0.0.1:1';
const ioredis = { host: '127.0.0.1', lazyConnect: true };
const sentinel = { name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] };

describe('bad options', () => {
  refusesBadOptions(redis, [
    ...badOptions({ url }),
    ['options', {}],
    ['options', { label: 'nowhere' }],
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
    ['client', { client: createSentinel(sentinel) }, 'a sentinel client'],
    ['client', { client: createClientPool({ url }) }, 'a pool'],
    ['client', { client: createClient }],
    ['options', { url, client: new Redis(ioredis) }],
    ['options', { connection: { port: 1 }, client: createClient({ url }) }],
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
  ]);

  it('never show a password', () => {
    expect(thrownBy(() => redis('http://user:secret@host')).message).not.toContain('secret');
  });

  it('open no connection, and neither do good ones before the first call', async () => {
    let connections = 0;
    const server = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    expect(() => redis({ connection: { port, host: '127.0.0.1' }, strict: 'x' as never })).toThrow(/strict/);
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

it('a URL may have its scheme in capitals, and no error shows its password', async () => {
  const { host, port } = fixture.server;
  const backend = await fixture.backend({ url: `VALKEY://${host}:${port}` });
  expect(await backend.ping()).toBeGreaterThan(0);
  const away = redis({ url: 'VALKEYS://ann:pss-wrd@127.0.0.1:1', operationTimeoutMs: 50 });
  const said = await away.ready().then(() => '', String);
  await away.close();
  expect(said).toContain('127.0.0.1:1');
  expect(said).not.toContain('pss-wrd');
});
