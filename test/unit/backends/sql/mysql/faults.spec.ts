import { Bedrock } from 'bedrock-lock';
import { MUTEX } from 'bedrock-lock/backend';
import type { MysqlBackend, MysqlOptions } from 'bedrock-lock/mysql';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { claimOf, eventually, liveness } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { MysqlFixture } from './fixture.js';

const NOW = { keepMs: 0, leaveQueue: true } as const;

describe('leases in MySQL when things fail', () => {
  const fixture = new MysqlFixture();
  let proxy: TcpProxy;
  let names = 0;
  const fresh = (): string => `faults:${++names}`;
  const throughProxy = () => ({ url: fixture.server.url.replace(/:\d+\//, `:${proxy.port}/`) });

  beforeAll(async () => {
    await fixture.start({ args: ['--innodb-flush-log-at-trx-commit=1'] });
    proxy = await startProxy(fixture.server.port);
  }, 180_000);
  afterEach(async () => {
    fixture.server.resume();
    proxy.dropReplies(false);
    proxy.dropRequests(false);
    proxy.delay(0);
    await proxy.accept();
    await fixture.clean();
  });
  afterAll(async () => {
    await proxy.stop();
    await fixture.stop();
  });

  /** Knows the time of the server: its next claim is one statement. */
  async function warmed(options: MysqlOptions): Promise<MysqlBackend> {
    const backend = await fixture.backend(options);
    const claim = claimOf(backend, fresh());
    await backend.leases.claim(claim);
    await backend.leases.withdraw(claim, NOW);
    return backend;
  }

  it('a claim whose answer was lost is unknown; repeated, it is the same grant', async () => {
    const backend = await warmed({ ...throughProxy(), operationTimeoutMs: 1_000 });
    const claim = claimOf(backend, fresh(), { tokens: 1 });
    proxy.dropReplies();
    await expect(backend.leases.claim(claim)).rejects.toMatchObject({ executed: 'unknown' });
    proxy.dropReplies(false);
    const again = await backend.leases.claim({ ...claim, notAfter: performance.now() + 1_000 });
    expect(again.kind).toBe('granted');
    expect(await backend.leases.inspect(claim.resource, MUTEX)).toHaveLength(1);
    expect(await backend.leases.withdraw(claim, NOW)).toBe('released');
    expect(await backend.leases.inspect(claim.resource, MUTEX)).toEqual([]);
  });

  it('a connection that is cut in the middle of a call is replaced', async () => {
    const backend = await warmed({ ...throughProxy(), operationTimeoutMs: 2_000 });
    const claim = claimOf(backend, fresh());
    proxy.delay(200, 'replies');
    const asked = backend.leases.claim(claim);
    await sleep(50);
    proxy.cut();
    proxy.delay(0);
    await expect(asked).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    await eventually('it is granted over another connection', async () => {
      const again = { ...claim, notAfter: performance.now() + 2_000 };
      const verdict = await backend.leases.claim(again).catch(() => undefined);
      return verdict?.kind === 'granted';
    });
    expect(await backend.leases.inspect(claim.resource, MUTEX)).toHaveLength(1);
  });

  it('a server that has become read-only is left: the next connection may lead to the primary', async () => {
    // An administrator is exempt from read_only.
    await fixture.rows("CREATE OR REPLACE USER plain@'%' IDENTIFIED BY ''");
    const database = new URL(fixture.server.url).pathname.slice(1);
    await fixture.rows(`GRANT ALL ON \`${database}\`.* TO plain@'%'`);
    const url = new URL(throughProxy().url);
    [url.username, url.password] = ['plain', ''];
    const backend = await warmed({ url: url.href, operationTimeoutMs: 2_000, connections: 1 });
    await fixture.rows('SET GLOBAL read_only = 1');
    try {
      const refused = backend.leases.claim(claimOf(backend, fresh()));
      await expect(refused).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      await eventually('the connection is closed', () => proxy.connections === 0);
    } finally {
      await fixture.rows('SET GLOBAL read_only = 0');
    }
    const verdict = await backend.leases.claim(claimOf(backend, fresh()));
    expect(verdict.kind).toBe('granted');
  });

  it('a request that is stuck on the way grants nothing after its time', async () => {
    const backend = await warmed({ ...throughProxy(), operationTimeoutMs: 1_000 });
    const resource = fresh();
    const warm = claimOf(backend, resource);
    await backend.leases.claim(warm);
    await backend.leases.withdraw(warm, NOW);
    const late = claimOf(backend, resource);
    proxy.delay(1_400, 'requests');
    await expect(backend.leases.claim(late)).rejects.toMatchObject({ executed: 'unknown' });
    await sleep(900);
    const [row] = await fixture.rows('SELECT holder FROM bedrock_locks WHERE resource = ?', [resource]);
    expect(String(row?.['holder'] ?? '')).toBe('');
  });

  it('a server that is killed and restarted keeps the holder, which goes on', async () => {
    const holder = new Bedrock({ backend: await fixture.backend() });
    const lost: string[] = [];
    holder.on('lease.lost', ({ reason }) => lost.push(reason));
    const resource = fresh();
    const lease = await holder.mutex(resource).acquire({ leaseMs: 6_000 });
    fixture.server.kill('SIGKILL');
    await fixture.server.restart();
    await fixture.observe();
    const other = await fixture.backend();
    expect((await other.leases.claim(claimOf(other, resource, { queue: false }))).kind).toBe('refused');
    await sleep(6_500);
    expect([lease.isHeld, lost]).toEqual([true, []]);
    expect(await lease.release()).toBe('released');
    await holder.close();
  }, 40_000);

  it('a server that is frozen for two leases ends the lease in time, and frees the lock afterwards', async () => {
    const holder = new Bedrock({ backend: await fixture.backend({ operationTimeoutMs: 300 }) });
    const next = new Bedrock({ backend: await fixture.backend({ operationTimeoutMs: 300 }) });
    const resource = fresh();
    const lease = await holder.mutex(resource).acquire({ leaseMs: 1_000 });
    const lost = new Promise<void>((resolve) => holder.on('lease.lost', () => resolve()));
    fixture.server.pause();
    const waiting = next.mutex(resource).acquire({ waitMs: 20_000 });
    const { to } = await liveness.time(() => lost);
    liveness.assertMedian('the loss', 300, [{ from: lease.validUntil, to }]);
    expect(lease.isHeld).toBe(false);
    await sleep(1_000);
    fixture.server.resume();
    const granted = await waiting;
    expect(granted.token).toBeGreaterThan(lease.token);
    expect(await lease.release()).toBe('lost');
    expect(await granted.release()).toBe('released');
    await Promise.all([holder.close(), next.close()]);
  }, 40_000);

  it('a lock that is freed by force is noticed by its holder without waiting for a renewal', async () => {
    const [holder, operator] = [await fixture.backend(), await fixture.backend()];
    const suspects: (string | undefined)[] = [];
    holder.onSuspect((resource) => suspects.push(resource));
    const resource = fresh();
    await holder.leases.claim(claimOf(holder, resource));
    expect(await operator.leases.revoke(resource, MUTEX, 'now')).toBe(true);
    await eventually('it is suspect', () => suspects.includes(resource), { withinMs: 1_500 });
  });

  it('a process that died in the queue is passed over after a second', async () => {
    const [holder, dead, next] = [await fixture.backend(), await fixture.backend(), await fixture.backend()];
    const resource = fresh();
    const held = claimOf(holder, resource);
    await holder.leases.claim(held);
    await dead.leases.claim(claimOf(dead, resource));
    await holder.leases.withdraw(held, NOW);
    expect((await next.leases.claim(claimOf(next, resource))).kind).toBe('refused');
    await sleep(1_100);
    expect((await next.leases.claim(claimOf(next, resource))).kind).toBe('granted');
  });
});
