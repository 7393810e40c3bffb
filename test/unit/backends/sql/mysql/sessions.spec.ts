import { Bedrock, UnsupportedByBackendError, type LockLostError } from 'bedrock-lock';
import { FAIR_MUTEX, MUTEX, READER } from 'bedrock-lock/backend';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { claimOf, eventually, liveness } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { holderOf, MysqlFixture } from './fixture.js';

const NOW = { keepMs: 0, leaveQueue: true } as const;

describe('named locks of sessions', () => {
  const fixture = new MysqlFixture();
  let proxy: TcpProxy;
  let names = 0;
  const fresh = (): string => `sessions:${++names}`;

  beforeAll(async () => {
    await fixture.start();
    proxy = await startProxy(fixture.server.port);
  }, 180_000);
  afterEach(async () => {
    proxy.dropReplies(false);
    proxy.dropRequests(false);
    await proxy.accept();
    await fixture.clean();
  });
  afterAll(async () => {
    await proxy.stop();
    await fixture.stop();
  });

  const throughProxy = () => ({ url: fixture.server.url.replace(/:\d+\//, `:${proxy.port}/`) });
  const used = async (name: string): Promise<unknown> =>
    (await fixture.rows('SELECT IS_USED_LOCK(?) AS session', [name]))[0]!['session'];

  it('exclude each other, also within one session, and cost one statement each', async () => {
    const [one, other] = [fixture.sessions(), fixture.sessions()];
    const resource = fresh();
    await one.ready();
    const claim = claimOf(one, resource);
    const before = one.commands;
    expect((await one.leases.claim(claim)).kind).toBe('granted');
    expect(one.commands - before).toBe(1);
    expect(holderOf(await one.leases.claim(claimOf(one, resource)))).toBe(claim.id);
    expect(holderOf(await other.leases.claim(claimOf(other, resource)))).toBe(
      `session:${String(await used(resource))}`,
    );
    expect(await one.leases.withdraw(claim, NOW)).toBe('released');
    expect(one.commands - before).toBe(2);
    expect(await used(resource)).toBeNull();
    expect((await other.leases.claim(claimOf(other, resource))).kind).toBe('granted');
    expect(await one.leases.withdraw(claim, NOW)).toBe('absent');
    expect(await used(resource)).not.toBeNull();
  });

  it('are counted once when a claim is repeated', async () => {
    const backend = fixture.sessions();
    const claim = claimOf(backend, fresh());
    await backend.leases.claim(claim);
    expect((await backend.leases.claim(claim)).kind).toBe('granted');
    expect(await backend.leases.withdraw(claim, NOW)).toBe('released');
    expect(await used(claim.resource)).toBeNull();
  });

  it('have names of their own where the server would mix them up or refuse them', async () => {
    const backend = fixture.sessions();
    const resources = ['Caps', 'caps', 'x'.repeat(65), 'x'.repeat(64), 'é', 'e', 'a ', 'a', 'x'.repeat(512)];
    for (const resource of resources)
      expect((await backend.leases.claim(claimOf(backend, resource))).kind).toBe('granted');
    expect(await used('x'.repeat(64))).not.toBeNull();
    for (const resource of resources) expect(await backend.leases.inspect(resource, MUTEX)).toHaveLength(1);
  });

  it('serve a mutex of the engine, and waiters poll', async () => {
    const [one, other] = [0, 1].map(() => new Bedrock({ backend: fixture.sessions() }));
    const [first, second] = [one!.mutex('served'), other!.mutex('served')];
    const lease = await first.acquire({ leaseMs: 1_500 });
    expect(lease.token).toBe(0);
    const next = second.acquire();
    await sleep(1_800);
    expect(lease.isHeld).toBe(true);
    await lease.release();
    await (await next).release();
    await Promise.all([one!.close(), other!.close()]);
    expect(await used('served')).toBeNull();
  });

  it('refuse what a named lock cannot do, when it is asked for', async () => {
    const backend = fixture.sessions();
    const bedrock = new Bedrock({ backend });
    expect(() => bedrock.fairMutex('x')).toThrow(UnsupportedByBackendError);
    expect(() => bedrock.mutex('x', { fencing: true })).toThrow(UnsupportedByBackendError);
    expect(() => bedrock.mutex('x', { holdAtLeastMs: 5 })).toThrow(UnsupportedByBackendError);
    for (const shape of [FAIR_MUTEX, READER])
      await expect(backend.leases.claim(claimOf(backend, 'x', { shape }))).rejects.toThrow(
        UnsupportedByBackendError,
      );
    await expect(backend.leases.revoke('x', FAIR_MUTEX, 'now')).rejects.toThrow(UnsupportedByBackendError);
    await bedrock.close();
  });

  it('are lost with their session, and the holder hears of it at once', async () => {
    const bedrock = new Bedrock({ backend: fixture.sessions() });
    const lease = await bedrock.mutex('killed').acquire({ leaseMs: 20_000 });
    const lost = new Promise<string>((resolve) => bedrock.on('lease.lost', ({ reason }) => resolve(reason)));
    const reason = await liveness.within('the loss', 1_000, async () => {
      await fixture.rows(`KILL ${String(await used('killed'))}`);
      return lost;
    });
    expect(reason).toBe('taken');
    expect([lease.isHeld, (lease.signal.reason as LockLostError).code]).toEqual([false, 'LOCK_LOST']);
    // Another session serves.
    await (await bedrock.mutex('killed').acquire()).release();
    await bedrock.close();
  });

  it('stay with a session whose server is slow, and a late grant is released', async () => {
    const [backend, other] = [
      fixture.sessions({ ...throughProxy(), operationTimeoutMs: 1_000 }),
      fixture.sessions(),
    ];
    const [held, late] = [claimOf(backend, fresh()), claimOf(backend, fresh())];
    await backend.leases.claim(held);
    proxy.delay(1_500, 'replies');
    await expect(backend.leases.claim(late)).rejects.toMatchObject({ executed: 'unknown' });
    expect(await used(late.resource)).not.toBeNull();
    proxy.delay(0);
    await eventually('it is released', async () => (await used(late.resource)) === null);
    expect((await other.leases.claim(claimOf(other, late.resource))).kind).toBe('granted');
    expect(await backend.leases.renew([{ ...held, keepMs: 0 }])).toEqual(['renewed']);
    expect(await used(held.resource)).not.toBeNull();
  });

  it('are taken once by a claim that is repeated before it has an answer', async () => {
    const backend = fixture.sessions({ ...throughProxy(), operationTimeoutMs: 1_000 });
    const [held, claim] = [claimOf(backend, fresh()), claimOf(backend, fresh())];
    await backend.leases.claim(held);
    proxy.delay(1_500, 'replies');
    await expect(backend.leases.claim(claim)).rejects.toMatchObject({ executed: 'unknown' });
    const repeated = backend.leases.claim({ ...claim, notAfter: Infinity });
    proxy.delay(0);
    expect((await repeated).kind).toBe('granted');
    expect(await backend.leases.withdraw(claim, NOW)).toBe('released');
    expect(await used(claim.resource)).toBeNull();
  });

  it('are withdrawn also while their claim has no answer', async () => {
    const backend = fixture.sessions({ ...throughProxy(), operationTimeoutMs: 1_000 });
    const [held, claim] = [claimOf(backend, fresh()), claimOf(backend, fresh())];
    await backend.leases.claim(held);
    proxy.delay(1_500, 'replies');
    await expect(backend.leases.claim(claim)).rejects.toMatchObject({ executed: 'unknown' });
    const withdrawn = backend.leases.withdraw(claim, NOW);
    proxy.delay(0);
    expect(await withdrawn).toBe('released');
    expect(await used(claim.resource)).toBeNull();
  });

  it('are released when their lease has ended without a word from the holder', async () => {
    const backend = fixture.sessions();
    const claim = claimOf(backend, fresh(), { leaseMs: 200 });
    const start = performance.now();
    expect((await backend.leases.claim(claim)).kind).toBe('granted');
    await eventually('it is released', async () => (await used(claim.resource)) === null);
    expect(performance.now() - start).toBeGreaterThan(200);
    expect(await backend.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['lost']);
  });

  it('that no process heard of are given back with the session', async () => {
    const backend = fixture.sessions({ ...throughProxy(), operationTimeoutMs: 1_000 });
    await backend.ready();
    const orphan = claimOf(backend, fresh());
    proxy.dropReplies();
    await expect(backend.leases.claim(orphan)).rejects.toMatchObject({ executed: 'unknown' });
    proxy.dropReplies(false);
    await eventually('it is free', async () => (await used(orphan.resource)) === null);
    expect(await backend.leases.withdraw(orphan, NOW)).toBe('absent');
    expect((await backend.leases.claim(claimOf(backend, orphan.resource))).kind).toBe('granted');
  });

  it('of a process that is gone without a word end after its longest lease', async () => {
    const backend = fixture.sessions({ ...throughProxy(), operationTimeoutMs: 1_000, maxLeaseMs: 1_000 });
    const claim = claimOf(backend, fresh(), { leaseMs: 1_000 });
    await backend.leases.claim(claim);
    const start = performance.now();
    // Neither its statements nor the end of its connection arrive.
    proxy.dropRequests();
    await eventually('it is free', async () => (await used(claim.resource)) === null, { withinMs: 10_000 });
    expect(performance.now() - start).toBeGreaterThan(1_000);
  });

  it('are refused after the time of the request', async () => {
    const backend = fixture.sessions();
    const resource = fresh();
    const late = claimOf(backend, resource, { notAfter: performance.now() - 1 });
    expect(await backend.leases.claim(late)).toEqual({ kind: 'stale' });
    expect(await used(resource)).toBeNull();
  });

  it('are listed where the server lists them, with the sessions that have them', async () => {
    const [backend, admin] = [fixture.sessions(), fixture.sessions().admin!];
    const [named, long] = [fresh(), `${fresh()} of a name with a digest`];
    for (const resource of [named, long]) await backend.leases.claim(claimOf(backend, resource));
    const program = await fixture.connection();
    await program.query("SELECT GET_LOCK('Other Program', 0)");
    try {
      // This server neither has its performance schema nor the plugin.
      await expect(admin.list({ prefix: '', limit: 10 })).rejects.toMatchObject({
        code: 'LOCK_UNSUPPORTED',
        message: expect.stringContaining('metadata_lock_info') as string,
      });
      await fixture.rows("INSTALL SONAME 'metadata_lock_info'");
      const { resources } = await admin.list({ prefix: '', limit: 10 });
      expect(resources.map(({ resource }) => resource)).toEqual([
        'Other Program',
        expect.stringMatching(/^bedrock_[0-9a-f]{56}$/),
        named,
      ]);
      const session = `session:${String(await used(named))}`;
      for (const name of [named, long, resources[1]!.resource])
        expect(await admin.find(name)).toMatchObject([
          { resource: name, holders: [{ id: session, depth: 1 }] },
        ]);
      // The server takes upper and lower case for the same, and refuses some names.
      for (const text of [named.toUpperCase(), 'Other Program', 'x'.repeat(70), '🔒'])
        expect(await admin.find(text)).toEqual([]);
      expect((await admin.list({ prefix: 'sessions:', limit: 1 })).resources).toHaveLength(1);
    } finally {
      program.destroy();
      await fixture.rows("UNINSTALL SONAME 'metadata_lock_info'").catch(() => undefined);
    }
  });

  it('end with the backend', async () => {
    const backend = fixture.sessions();
    const claim = claimOf(backend, fresh());
    await backend.leases.claim(claim);
    await backend.close();
    await eventually('it is free', async () => (await used(claim.resource)) === null);
    await expect(backend.leases.claim(claim)).rejects.toMatchObject({ executed: 'no' });
    await expect(backend.ping()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });
});

describe('named locks of sessions in the performance schema', () => {
  const fixture = new MysqlFixture();
  const schema = ['--performance-schema=ON', '--performance-schema-instrument=wait/lock/metadata/sql/mdl=ON'];
  beforeAll(() => fixture.start({ args: schema }), 180_000);
  afterEach(() => fixture.clean());
  afterAll(() => fixture.stop());

  it('are listed with the sessions that have them, for users who may read it', async () => {
    const [backend, admin] = [fixture.sessions(), fixture.sessions().admin!];
    await backend.leases.claim(claimOf(backend, 'watched'));
    await fixture.rows("CREATE USER least@'%'");
    const url = fixture.server.url.replace('root@', 'least@').replace(/\/bedrock$/, '/');
    const least = fixture.sessions({ url });
    await expect(least.admin!.list({ prefix: '', limit: 1 })).rejects.toMatchObject({
      code: 'LOCK_UNSUPPORTED',
      message: expect.stringContaining('grant SELECT on performance_schema.*') as string,
    });
    expect(await least.admin!.find('watched')).toHaveLength(1);
    await fixture.rows("GRANT SELECT ON performance_schema.* TO least@'%'");
    expect((await least.admin!.list({ prefix: '', limit: 1 })).resources).toHaveLength(1);
    const [row] = await fixture.rows("SELECT IS_USED_LOCK('watched') AS session");
    expect((await admin.list({ prefix: 'w', limit: 10 })).resources).toMatchObject([
      { resource: 'watched', waiters: 0, holders: [{ id: `session:${String(row!['session'])}` }] },
    ]);
  });
});
