import { InvalidOptionError } from 'bedrock-lock';
import { etcd } from 'bedrock-lock/etcd';
import { startEtcd, type RunningServer } from 'bedrock-servers';
import { liveness } from 'bedrock-testkit';
import { EtcdFixture, granted, keysOf } from './fixture.js';
import { badOptions, refusesBadOptions } from '../../../../support/bad-options.js';

const fixture = new EtcdFixture();
let server: RunningServer;

beforeAll(async () => {
  server = await startEtcd({ shared: true });
});
afterEach(() => fixture.clean());
afterAll(() => server.stop());

const hosts = 'http://127.0.0.1:1';

describe('bad options', () => {
  refusesBadOptions(etcd, [
    ...badOptions({ hosts }),
    ['hosts', {}],
    ['hosts', ''],
    ['hosts', '127.0.0.1:2379'],
    ['hosts', 'ftp://127.0.0.1'],
    ['hosts', 'http://user:secret@127.0.0.1'],
    ['hosts', 'http://127.0.0.1/path'],
    ['hosts', 'http://127.0.0.1/?x=1'],
    ['hosts', { hosts: [] }],
    ['hosts[1]', { hosts: [hosts, 5] }],
    ['hosts', { hosts: [hosts, 'https://127.0.0.1:2'] }],
    ['credentials', { hosts, credentials: 'secret' }],
    ['auth', { hosts, auth: 'secret' }],
    ['auth.user', { hosts, auth: { user: 'secret' } }],
    ['auth.username', { hosts, auth: { username: '', password: 'secret' } }],
    ['auth.password', { hosts, auth: { username: 'me' } }],
    ['grpcOptions', { hosts, grpcOptions: [] }],
    ['prefix', { hosts, prefix: '' }],
    ['prefix', { hosts, prefix: 7 }],
    ['prefix', { hosts, prefix: 'a\nb' }],
  ]);

  it('refuse a lease that is longer than the longest, and send nothing', async () => {
    const backend = await fixture.backend({ hosts: server.url, maxLeaseMs: 2_000 });
    const sent = backend.commands;
    await expect(granted(backend, fixture.fresh(), { leaseMs: 2_001 })).rejects.toThrow(InvalidOptionError);
    expect(backend.commands).toBe(sent);
  });
});

it('a server that is not there is an error of ready(), in bounded time, and of every call', async () => {
  const backend = etcd({ hosts, operationTimeoutMs: 100 });
  const unavailable = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
  await liveness.within('both answers', 3_000, async () => {
    await expect(backend.ready()).rejects.toMatchObject(unavailable);
    await expect(backend.ping()).rejects.toMatchObject(unavailable);
  });
  await backend.close();
});

it('a prefix keeps the locks of two applications apart, and no name of a lock leaves its folder', async () => {
  const one = await fixture.backend({ hosts: server.url, prefix: 'one/' });
  const other = await fixture.backend({ hosts: server.url, prefix: 'other/' });
  for (const resource of ['a', 'a/', '../session/1', 'a%2F', 'ä€💥', '/', '//'])
    await Promise.all([granted(one, resource), granted(other, resource)]);
  const keys = (await keysOf(server.url, 'one/')).map(({ key }) => key.split('/').length);
  // line/<resource>/<claim>/<n> below the prefix, and session/<lease>.
  expect(keys.filter((depth) => depth === 5)).toHaveLength(7);
  expect(keys.filter((depth) => depth !== 5)).toEqual([3]);
});
