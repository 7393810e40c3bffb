import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from 'bedrock-lock/integration';
import type { RedisOptions } from 'bedrock-lock/redis';
import { claimOf, eventually, FREE, granted, refusalOf } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { createClient } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { RedisConnection } from '../../../../libs/lock/src/backends/redis/connection/redis-connection.js';
import {
  linkFactoryFor,
  type ServerLocation,
} from '../../../../libs/lock/src/backends/redis/configuration/link-factory.js';
import { freePort } from '../../../servers/src/free-port.js';
import { Certificates } from './certificates.js';
import { RedisFixture } from './fixture.js';

type Tls = Certificates['ofClient'];

const fixture = new RedisFixture();
let certificates: Certificates;
let port = 0;

/** How a user of each library says where the server is, and which authority to trust. */
const PLACES: Record<string, (url: string, tls: Partial<Tls>) => RedisOptions> = {
  'a url and options of ioredis': (url, tls) => ({ url, connection: { tls } }),
  // Without a certificate authority, only the scheme asks for TLS.
  'a url with valkeys://': (url, tls) => ({
    url: url.replace(/^rediss/, 'valkeys'),
    ...(tls.ca !== undefined && { connection: { tls } }),
  }),
  'ioredis 5': (url, tls) => ({
    client: new Redis5(url, { tls, lazyConnect: true }),
  }),
  'ioredis 6': (url, tls) => ({ client: new Redis(url, { tls, lazyConnect: true }) }),
  'node-redis 5': (url, tls) => ({ client: createClient5({ url, socket: { tls: true, ...tls } }) }),
  'node-redis 6': (url, tls) => ({ client: createClient({ url, socket: { tls: true, ...tls } }) }),
};

beforeAll(async () => {
  [certificates, port] = await Promise.all([Certificates.make(), freePort()]);
  const { ca, cert, key } = certificates;
  const files = ['--tls-ca-cert-file', ca, '--tls-cert-file', cert, '--tls-key-file', key];
  await fixture.start({ args: ['--tls-port', String(port), '--tls-auth-clients', 'yes', ...files] });
});
afterEach(() => fixture.clean());
afterAll(async () => {
  await fixture.stop();
  await certificates.remove();
});

describe.each(Object.entries(PLACES))('over TLS, by %s', (_library, placeOf) => {
  const url = () => `rediss://127.0.0.1:${port}`;

  it('locks, wakes and comes back, each side with its certificate', async () => {
    const options = placeOf(url(), certificates.ofClient);
    const [mine, other] = [await fixture.backend(options), await fixture.backend(options)];
    const claim = await granted(mine, 'lock', { tokens: 1 });
    refusalOf(await other.leases.claim(claimOf(other, 'lock')));
    await fixture.observer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await eventually('a new connection', () => mine.ping().then(() => true, () => false)); // prettier-ignore
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
  });

  it('does not speak to a server that it cannot trust', async () => {
    const { ca: _ca, ...untrusting } = certificates.ofClient;
    const backend = fixture.unready({ ...placeOf(url(), untrusting), operationTimeoutMs: 100 });
    await expect(backend.ready()).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(/certificate/),
    });
  });

  it('keeps its trust on the way to another address', async () => {
    const links = linkFactoryFor(
      placeOf('rediss://127.0.0.1:1/7', certificates.ofClient) as ServerLocation,
      systemClock,
    );
    const connection = new RedisConnection(
      links.create({ host: '127.0.0.1', port, database: 0 }),
      systemClock,
      {
        operationTimeoutMs: 500,
      },
    );
    connection.start({ open: (send) => send('ping', []).then(() => undefined) });
    await connection.whenReady(2_000);
    expect(String(await connection.calls.call('client', ['info']))).toMatch(/name=bedrock .*db=0 /);
    const plain = links.create({ host: '127.0.0.1', port: fixture.server.port, database: 2, tls: false });
    const other = new RedisConnection(plain, systemClock, { operationTimeoutMs: 500 });
    other.start({ open: async () => undefined });
    await other.whenReady(2_000);
    expect(String(await other.calls.call('client', ['info']))).toMatch(/name=bedrock .*db=2 /);
    connection.close();
    other.close();
  });
});
