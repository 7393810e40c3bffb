import { etcdCall, startEtcd, type RunningServer } from 'bedrock-servers';
import { FREE, liveness } from 'bedrock-testkit';
import { EtcdFixture, granted } from './fixture.js';

const fixture = new EtcdFixture();
let server: RunningServer;

/** A user who may read and write below one prefix, on a server that asks for a password. */
beforeAll(async () => {
  server = await startEtcd();
  const call = (path: string, body: object): Promise<unknown> => etcdCall(server.url, `auth/${path}`, body);
  await call('user/add', { name: 'root', password: 'of-all-evil' });
  await call('user/grant', { user: 'root', role: 'root' });
  await call('user/add', { name: 'locks', password: 'secret' });
  await call('role/add', { name: 'locks' });
  const perm = { permType: 'READWRITE', key: btoa('shop/'), range_end: btoa('shop0') };
  await call('role/grant', { name: 'locks', perm });
  await call('user/grant', { user: 'locks', role: 'locks' });
  await call('enable', {});
});
afterEach(() => fixture.clean());
afterAll(() => server.stop());

const auth = { username: 'locks', password: 'secret' };

it('a user who may use the prefix alone can do all that locks need', async () => {
  const options = { hosts: server.url, prefix: 'shop/', auth };
  const [one, other] = [await fixture.backend(options), await fixture.backend(options)];
  const resource = fixture.fresh();
  const held = await granted(one, resource, { leaseMs: 1_000 });
  expect(await one.leases.renew([{ ...held, leaseMs: 9_000, keepMs: 0 }])).toEqual(['renewed']);
  expect(await other.leases.revoke(resource, held.shape, 'atExpiry')).toBe(true);
  expect(await one.leases.renew([{ ...held, keepMs: 0 }])).toEqual(['revoked']);
  expect(await one.leases.withdraw(held, FREE)).toBe('released');
  await granted(other, resource);
});

it.each([
  ['a prefix that is not allowed', { prefix: 'other/', auth }],
  ['a wrong password', { prefix: 'shop/', auth: { ...auth, password: 'guess' } }],
  ['a client without a user', { prefix: 'shop/' }],
])('%s is refused at once, and nothing is done', async (_who, options) => {
  const unavailable = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
  await liveness.within('the refusal', 2_000, () =>
    expect(fixture.backend({ hosts: server.url, ...options })).rejects.toMatchObject(unavailable),
  );
});
