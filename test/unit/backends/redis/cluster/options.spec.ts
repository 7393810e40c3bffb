import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { startProxy, startRedis } from 'bedrock-servers';
import { claimOf, eventually, granted, liveness } from 'bedrock-testkit';
import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster5 } from 'ioredis-5';
import { createClient, createCluster } from 'redis';
import { createClient as createClient5, createCluster as createCluster5 } from 'redis-5';
import { parseServer } from '../../../../../libs/lock/src/backends/redis/configuration/cluster-address.js';
import { ClusterFixture } from './fixture.js';
import { refusesBadOptions } from '../../../../support/bad-options.js';
import { thrownBy } from '../../../../support/thrown-by.js';

const fixture = new ClusterFixture();
beforeAll(() => fixture.start({ replicas: 0 }));
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

const cluster = [{ host: '127.0.0.1', port: 7_000 }];
const lazy = { lazyConnect: true };

describe('bad options of a cluster', () => {
  refusesBadOptions(redis, [
    ['cluster', { cluster: [] }],
    ['cluster', { cluster: 'redis://127.0.0.1' }],
    ['cluster', { cluster: { host: '127.0.0.1', port: 7_000 } }],
    ['cluster[0]', { cluster: [null] }],
    ['cluster[0]', { cluster: [7_000] }],
    ['cluster[0].hots', { cluster: [{ host: 'x', hots: 'x' }] }],
    ['cluster[0].host', { cluster: [{ port: 7_000 }] }],
    ['cluster[0].host', { cluster: [{ host: '' }] }],
    ['cluster[1].port', { cluster: [...cluster, { host: 'x', port: 0 }] }],
    ['cluster[0].port', { cluster: [{ host: 'x', port: '7000' }] }],
    ['cluster[0]', { cluster: ['127.0.0.1:7000'] }],
    ['cluster[0]', { cluster: ['http://127.0.0.1'] }],
    ['cluster[0]', { cluster: ['redis://127.0.0.1/3'] }],
    ['cluster[0]', { cluster: ['redis://127.0.0.1?family=6'] }],
    ['cluster[1]', { cluster: ['redis://a', 'rediss://b'] }],
    ['cluster[2]', { cluster: ['redis://u:p@a', 'redis://u:p@b', 'redis://u:q@c'] }],
    ['url', { cluster, url: 'redis://127.0.0.1' }],
    ['connection.host', { cluster, connection: { host: '127.0.0.1' } }],
    ['connection.db', { cluster, connection: { db: 3 } }],
    ['connection.sentinels', { cluster, connection: { sentinels: cluster, name: 'x' } }],
    ['connection.keyPrefix', { cluster, connection: { keyPrefix: 'x:' } }],
    ['options', { cluster, connection: {}, client: new Redis(lazy) }],
    ['natMap', { natMap: {}, url: 'redis://127.0.0.1' }],
    ['natMap', { cluster, natMap: 'x' }],
    ['natMap', { cluster, natMap: { 'a:1': { host: 'b' } } }],
    ['natMap', { cluster, natMap: { 'a:1': null } }],
    ['restartGuard', { cluster, restartGuard: true }],
    ['client', { cluster, client: {} }],
    ['client', { cluster, client: new Cluster(cluster, lazy) }],
    ['client', { client: new Cluster(cluster, lazy), connection: {} }],
    ['client', { client: createCluster({ rootNodes: [{ url: 'redis://x' }] }), natMap: {} }],
    ['client', { client: new Cluster([], lazy) }],
    ['restartGuard', { client: new Cluster(cluster, lazy), restartGuard: true }],
  ]);

  it('never show a password', () => {
    const urls = ['redis://u:secret@a', 'redis://u:other@b'];
    for (const some of [urls, ['http://u:secret@a'], ['redis://u:secret@a/9']]) {
      expect(thrownBy(() => redis({ cluster: some })).message).not.toContain('secret');
    }
  });
});

it('a URL of a cluster says by its scheme whether the servers speak TLS', () => {
  const accessOf = (scheme: string) => parseServer('cluster[0]', `${scheme}://me:word@127.0.0.1:7000`).access;
  const plain = { username: 'me', password: 'word' };
  for (const scheme of ['redis', 'valkey']) expect(accessOf(scheme)).toEqual(plain);
  for (const scheme of ['rediss', 'valkeys']) expect(accessOf(scheme)).toEqual({ ...plain, tls: {} });
});

describe('a cluster', () => {
  it.each<[how: string, options: () => RedisOptions]>([
    ['by its servers', () => ({ cluster: fixture.cluster.addresses })],
    ['by the URL of one', () => ({ cluster: [fixture.cluster.nodes[1]!.server.url] })],
    [
      'by the valkey:// URL of one',
      () => ({ cluster: [fixture.cluster.nodes[1]!.server.url.replace(/^redis/, 'valkey')] }),
    ],
    ['with options of ioredis', () => ({ ...fixture.options, connection: { connectTimeout: 5_000 } })],
    ['with a client of ioredis 6', () => ({ ...fixture.options, client: new Redis(lazy) })],
    ['with a client of node-redis 6', () => ({ ...fixture.options, client: createClient() })],
    ['with a client of node-redis 5', () => ({ ...fixture.options, client: createClient5() })],
    ['by a Cluster of ioredis 6', () => ({ client: new Cluster(fixture.cluster.addresses, lazy) })],
    [
      'by a Cluster of ioredis 5',
      () => ({ client: new Cluster5([fixture.cluster.nodes[0]!.server.port], lazy) }),
    ],
    [
      'by a Cluster of node-redis 6',
      () => ({ client: createCluster({ rootNodes: [{ url: fixture.cluster.nodes[0]!.server.url }] }) }),
    ],
    [
      'by a Cluster of node-redis 5',
      () => ({
        client: createCluster5({ rootNodes: [{ url: fixture.cluster.nodes[0]!.server.url }] }),
      }),
    ],
  ])('is found %s, and locks and wakes', async (_how, options) => {
    const [mine, other] = [await fixture.backend(options()), await fixture.backend()];
    for (const name of ['a', 'b', 'c']) {
      const held = await granted(mine, name);
      await expect(other.leases.claim(claimOf(other, name))).resolves.toMatchObject({ kind: 'refused' });
      let wakes = 0;
      await other.leases.watch(name, held.shape, () => (wakes += 1));
      let own = 0;
      await mine.leases.watch(name, held.shape, () => (own += 1));
      await mine.leases.withdraw(held, { keepMs: 0, leaveQueue: true });
      await fixture.on(name, 'SPUBLISH', `redisson_lock__channel:{${name}}`, '0');
      await eventually('both are woken', () => wakes > 0 && own > 0, { withinMs: 2_000 });
    }
  });

  it('leaves the client of the user alone', async () => {
    const client = new Cluster(fixture.cluster.addresses, { ...lazy, redisOptions: { keyPrefix: 'mine:' } });
    const backend = await fixture.backend({ client });
    await granted(backend, 'lock');
    await expect(fixture.on('lock', 'HLEN', 'lock')).resolves.toBe(1);
    await backend.close();
    expect(client.status).toBe('wait');
  });

  it('is reached at other addresses where natMap says so', async () => {
    const proxies = await Promise.all(fixture.cluster.nodes.map(({ server }) => startProxy(server.port)));
    const natMap = Object.fromEntries(
      proxies.map(({ targetPort, host, port }) => [`127.0.0.1:${targetPort}`, { host, port }]),
    );
    const backend = await fixture.backend({
      cluster: [{ host: '127.0.0.1', port: proxies[0]!.port }],
      natMap,
    });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => granted(backend, name)));
    expect(proxies.every(({ connections }) => connections > 0)).toBe(true);
    await backend.close();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  });

  it('that is none says so at once', async () => {
    const single = await startRedis();
    const { host, port } = single;
    const backend = redis({ cluster: [{ host, port }] });
    await liveness.within('the refusal of a server that is no cluster', 1_000, () =>
      expect(backend.ready()).rejects.toThrow(/not part of a cluster: give a url/),
    );
    await backend.close();
    await single.stop();
  });

  it('may be closed before it was reached, which ends all that waits for it', async () => {
    const backend = redis({ cluster: [{ host: '127.0.0.1', port: 1 }] });
    const waiting = [backend.ready(), backend.leases.claim(claimOf(backend, 'lock'))];
    const settled = Promise.allSettled(waiting);
    await backend.close();
    const results = await liveness.within('the end of all that waits', 100, () => settled);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('refuses a wrong password at once', async () => {
    const backend = redis({ ...fixture.options, connection: { username: 'nobody', password: 'wrong' } });
    await expect(backend.ready()).rejects.toThrow(/AUTH|WRONGPASS|password/);
    await backend.close();
  });
});
