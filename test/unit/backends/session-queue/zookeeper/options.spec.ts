import { UnsupportedByBackendError } from 'bedrock-lock';
import { zookeeper } from 'bedrock-lock/zookeeper';
import { FREE } from 'bedrock-testkit';
import { claimOf, fresh, ZooKeeperFixture } from './fixture.js';
import { badOptions, refusesBadOptions } from '../../../../support/bad-options.js';

const fixture = new ZooKeeperFixture();
const connect = '127.0.0.1:1';

beforeAll(() => fixture.start({ settings: ['maxSessionTimeout=3000'] }));
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

describe('bad options', () => {
  refusesBadOptions(zookeeper, [
    ...badOptions({ connect }),
    ['connect', {}],
    ['connect', ''],
    ['connect', { connect: 5 }],
    ['connect', 'a b:2181'],
    ['connect', 'host:0'],
    ['connect', 'host:65536'],
    ['connect', 'host:2181,'],
    ['connect', '[::1]:2181'],
    ['connect', 'host:2181/'],
    ['connect', 'host:2181/a//b'],
    ['connect', 'host:2181/../b'],
    ['connect', 'http://host:2181'],
    ['root', { connect, root: '' }],
    ['root', { connect, root: '/' }],
    ['root', { connect, root: 'locks' }],
    ['root', { connect, root: '/locks/' }],
    ['root', { connect, root: '/a/../b' }],
    ['root', { connect, root: '/zookeeper/locks' }],
    ['root', { connect, root: `/${'a'.repeat(512)}` }],
    ['root', { connect, root: null }],
    ['auth', { connect, auth: 'user:password' }],
    ['auth', { connect, auth: null }],
    ['auth.user', { connect, auth: { user: 'x' } }],
    ['auth.scheme', { connect, auth: { scheme: '', credentials: 'x' } }],
    ['auth.credentials', { connect, auth: { scheme: 'digest', credentials: '' } }],
    ['options.client', { connect, client: null }],
    ['options.client', { connect, client: 'zookeeper' }],
    ['options.client', { connect, client: class {} }],
    ['maxLeaseMs', { connect, maxLeaseMs: 400_001 }],
  ]);

  it('never show credentials', () => {
    const auth = { scheme: 'digest', credentials: ['till:secret'] as unknown as string };
    expect(() => zookeeper({ connect, auth })).toThrow(/^(?!.*secret)/s);
  });
});

describe('a server that grants shorter sessions than leases need', () => {
  it('is refused at the start, with what to change', async () => {
    const backend = fixture.unready();
    const error: unknown = await backend.ready().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnsupportedByBackendError);
    expect(String(error)).toMatch(/3000 ms.*leases of 2000 ms.*maxLeaseMs/);
    await expect(backend.leases.claim(claimOf(backend, fresh(), { leaseMs: 10_000 }))).rejects.toBeInstanceOf(
      UnsupportedByBackendError,
    );
  });

  it('serves what it is good for', async () => {
    const backend = await fixture.backend({ maxLeaseMs: 2_000 });
    const claim = claimOf(backend, fresh(), { leaseMs: 2_000 });
    expect((await backend.leases.claim(claim)).kind).toBe('granted');
    await expect(backend.leases.claim(claimOf(backend, fresh(), { leaseMs: 2_001 }))).rejects.toThrow(
      'leaseMs',
    );
    // Nor may a lease grow beyond what its session is good for.
    expect(await backend.leases.renew([{ ...claim, leaseMs: 2_500, keepMs: 0 }])).toEqual(['unknown']);
    expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
  });
});

describe('where things are', () => {
  it('is below a root of its own, whatever a resource is called', async () => {
    const backend = await fixture.backend({ root: '/app/locks-2', maxLeaseMs: 2_000 });
    const names = [
      '..',
      '.',
      'a/b',
      '/',
      '%2F',
      'a;x1of1;1;0000000000',
      'ü {x}',
      '/bedrock/sessions',
      '\u{1F512}',
    ];
    const claims = names.map((resource) => claimOf(backend, resource, { leaseMs: 2_000 }));
    for (const claim of claims) expect((await backend.leases.claim(claim)).kind).toBe('granted');
    expect(await fixture.admin.children('/app/locks-2')).toHaveLength(2);
    expect(await fixture.admin.children('/app/locks-2/locks')).toHaveLength(names.length);
    for (const claim of claims)
      expect((await backend.leases.inspect(claim.resource, claim.shape))[0]?.id).toBe(claim.id);
    for (const claim of claims) expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
  });

  it('may be below a part of the tree', async () => {
    await fixture.admin.create('/part');
    const backend = await fixture.backend({
      connect: `zookeeper://${fixture.connect}/part`,
      maxLeaseMs: 2_000,
    });
    const claim = claimOf(backend, fresh(), { leaseMs: 2_000 });
    expect((await backend.leases.claim(claim)).kind).toBe('granted');
    expect(await fixture.admin.children('/part/bedrock/locks')).toHaveLength(1);
    expect(await backend.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['renewed']);
    expect((await backend.leases.claim(claimOf(backend, claim.resource, { leaseMs: 2_000 }))).kind).toBe(
      'refused',
    );
  });

  it('is only for clients with the credentials', async () => {
    const auth = { scheme: 'digest', credentials: 'till:secret' };
    const options = { root: '/private', maxLeaseMs: 2_000 };
    const [one, other] = [
      await fixture.backend({ ...options, auth }),
      await fixture.backend({ ...options, auth }),
    ];
    const claim = claimOf(one, fresh(), { leaseMs: 2_000 });
    expect((await one.leases.claim(claim)).kind).toBe('granted');
    expect((await other.leases.claim(claimOf(other, claim.resource, { leaseMs: 2_000 }))).kind).toBe(
      'refused',
    );
    const stranger = fixture.unready(options);
    await expect(stranger.ready()).rejects.toThrow('access list');
  });
});
