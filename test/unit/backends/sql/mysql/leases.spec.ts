import { Bedrock, type Backend } from 'bedrock-lock';
import { MUTEX } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import { claimOf, eventually } from 'bedrock-testkit';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { schemaOf, tableNamesOf } from '../../../../../libs/lock/src/backends/sql/mysql/locks/tables.js';
import { CLAIMS, renewAmongClaims, RENEWED } from '../renewal-among-claims.js';
import { MysqlFixture } from './fixture.js';

const NOW = { keepMs: 0, leaveQueue: true } as const;
/** For claims that are kept waiting. */
const PATIENT = { operationTimeoutMs: 3_000 };

/** Rounded up, and one more for what the server rounds. */
const msSince = (at: number): number => Math.ceil(performance.now() - at) + 1;

describe('leases in rows of MySQL', () => {
  const fixture = new MysqlFixture();
  let names = 0;
  const fresh = (): string => `leases:${++names}`;

  beforeAll(() => fixture.start(), 180_000);
  afterEach(() => fixture.clean());
  afterAll(() => fixture.stop());

  const row = async (resource: string) =>
    (await fixture.rows('SELECT * FROM bedrock_locks WHERE resource = ?', [resource]))[0];
  const granted = async (backend: Backend, resource: string, tokens = 1): Promise<number> => {
    const claim = claimOf(backend, resource, { tokens });
    const verdict = await backend.leases.claim(claim);
    await backend.leases.withdraw(claim, NOW);
    if (verdict.kind !== 'granted') throw new Error(verdict.kind);
    return verdict.token;
  };

  it('cost one statement to take and one to give back', async () => {
    const backend = await fixture.backend();
    const resource = fresh();
    await granted(backend, resource);
    await fixture.registered(backend);
    const before = backend.commands;
    for (let i = 0; i < 10; i += 1) await granted(backend, resource);
    expect(backend.commands - before).toBe(20);
  });

  it('are renewed in one statement for many', async () => {
    const backend = await fixture.backend();
    const claims = Array.from({ length: 21 }, () => claimOf(backend, fresh(), { leaseMs: 2_000 }));
    for (const claim of claims) await backend.leases.claim(claim);
    await fixture.registered(backend);
    const before = backend.commands;
    const renewals = claims.map((claim) => ({ ...claim, leaseMs: 20_000, keepMs: 0 }));
    expect(new Set(await backend.leases.renew(renewals))).toEqual(new Set(['renewed']));
    expect(backend.commands - before).toBe(1);
    await backend.leases.withdraw(claims[4]!, NOW);
    const outcomes = await backend.leases.renew(renewals);
    expect(outcomes.map((outcome) => outcome === 'lost')).toEqual(claims.map((_, i) => i === 4));
  });

  it.each(RENEWED)('are renewed before claims that wait for a connection: %s', async (_what, take) => {
    const backend = await fixture.backend({ connections: 1, operationTimeoutMs: 30_000 });
    const { isRenewed, answeredBefore } = await renewAmongClaims(backend, take);
    expect(isRenewed).toBe(true);
    expect(answeredBefore).toBeLessThan(CLAIMS / 2);
  });

  it('are not granted by a statement that had to wait until after its time', async () => {
    const backend = await fixture.backend();
    const resource = fresh();
    await granted(backend, resource);
    const blocker = await fixture.connection();
    await blocker.beginTransaction();
    await blocker.query('SELECT 1 FROM bedrock_locks WHERE resource = ? FOR UPDATE', [resource]);
    const late = claimOf(backend, resource, { notAfter: performance.now() + 200 });
    const asked = backend.leases.claim(late);
    await sleep(500);
    await blocker.rollback();
    expect(await asked).toEqual({ kind: 'stale' });
    expect(String((await row(resource))!['holder'])).toBe('');
    blocker.destroy();
  });

  it.each([
    ['late', 200, 'stale'],
    ['in time', 2_500, 'granted'],
  ] as const)(
    'that come %s count from the end of the wait for a row that was being removed',
    async (_, inTimeMs, kind) => {
      const [first, backend] = [await fixture.backend(), await fixture.backend(PATIENT)];
      const resource = fresh();
      await granted(first, resource);
      const blocker = await fixture.connection();
      await blocker.beginTransaction();
      await blocker.query('DELETE FROM bedrock_locks WHERE resource = ?', [resource]);
      // A backend that does not know the row makes it with the grant.
      const notAfter = performance.now() + inTimeMs;
      const asked = backend.leases.claim(claimOf(backend, resource, { leaseMs: 10_000, notAfter }));
      await sleep(400);
      const waitedUntil = performance.now();
      await blocker.commit();
      expect((await asked).kind).toBe(kind);
      const [view] = await backend.leases.inspect(resource, MUTEX);
      expect(view?.remainingMs ?? 10_000).toBeGreaterThanOrEqual(10_000 - msSince(waitedUntil));
      expect(view === undefined).toBe(kind === 'stale');
      blocker.destroy();
    },
  );

  it('end by the time after the row was waited for, and not by that of the statement', async () => {
    const backend = await fixture.backend(PATIENT);
    const claim = claimOf(backend, fresh(), { leaseMs: 10_000 });
    await granted(backend, claim.resource);
    const blocker = await fixture.connection();
    await blocker.beginTransaction();
    await blocker.query('SELECT 1 FROM bedrock_locks WHERE resource = ? FOR UPDATE', [claim.resource]);
    const asked = backend.leases.claim({ ...claim, notAfter: performance.now() + 2_500 });
    await sleep(400);
    const waitedUntil = performance.now();
    await blocker.rollback();
    await asked;
    const [view] = await backend.leases.inspect(claim.resource, MUTEX);
    expect(view!.remainingMs).toBeGreaterThanOrEqual(10_000 - msSince(waitedUntil));
    blocker.destroy();
  });

  it('tell names apart that a collation would not', async () => {
    const backend = await fixture.backend();
    for (const resource of ['Caps', 'caps', 'é', 'e', 'a', 'a ', 'ß', 'ss', '漢'.repeat(512), `'"\\%_`])
      expect((await backend.leases.claim(claimOf(backend, resource))).kind).toBe('granted');
  });

  it('have tokens that grow, also over rows that were removed and servers that were killed', async () => {
    const resource = fresh();
    const first = await fixture.backend({ keepRowsMs: 10 });
    const tokens = [await granted(first, resource, 1_000), await granted(first, resource)];
    await eventually('the row is removed', async () => (await row(resource)) === undefined);
    tokens.push(await granted(first, resource));
    fixture.server.kill('SIGKILL');
    await fixture.server.restart();
    await fixture.observe();
    tokens.push(await granted(await fixture.backend(), resource));
    expect(tokens.every((token, i) => i === 0 || token > tokens[i - 1]!)).toBe(true);
    expect(tokens[1]! - tokens[0]!).toBeGreaterThanOrEqual(1_000);
  });

  it('leave no row where leaving the queue took longer than all attempts to remove the row', async () => {
    const resource = fresh();
    const [holder, waiter] = [await fixture.backend(), await fixture.backend({ keepRowsMs: 10 })];
    const [held, waiting] = [claimOf(holder, resource), claimOf(waiter, resource, { queue: true })];
    expect((await holder.leases.claim(held)).kind).toBe('granted');
    expect((await waiter.leases.claim(waiting)).kind).toBe('refused');
    await holder.leases.withdraw(held, NOW);
    await holder.close();
    const user = await fixture.connection();
    // The version changes so often that the process loses: each of its updates is for a version of the past.
    const writing =
      user.query(`BEGIN NOT ATOMIC DECLARE stop_at DATETIME(6) DEFAULT SYSDATE(6) + INTERVAL 1 SECOND;
WHILE SYSDATE(6) < stop_at DO UPDATE bedrock_locks SET version = version + 1 WHERE resource = '${resource}'; END WHILE; END`);
    await waiter.leases.withdraw(waiting, NOW);
    await writing;
    user.destroy();
    await waiter.close();
    expect(await row(resource)).toBeUndefined();
  });

  it('leave no row where a claim made it that was too late to be granted', async () => {
    const [first, backend] = [await fixture.backend(), await fixture.backend({ ...PATIENT, keepRowsMs: 10 })];
    const resource = fresh();
    await granted(first, resource);
    const user = await fixture.connection();
    await user.beginTransaction();
    await user.query('DELETE FROM bedrock_locks WHERE resource = ?', [resource]);
    const asked = backend.leases.claim(claimOf(backend, resource, { notAfter: performance.now() + 200 }));
    await sleep(500);
    await user.commit();
    user.destroy();
    expect(await asked).toEqual({ kind: 'stale' });
    await backend.close();
    expect(await row(resource)).toBeUndefined();
  });

  it('do not depend on the clocks of the clients', async () => {
    const hour = 3_600_000;
    const clocks = [-hour, hour].map((ms) => ({ ...systemClock, wall: () => systemClock.wall() + ms }));
    const [late, early] = await Promise.all(clocks.map((clock) => fixture.backend({ clock })));
    const claim = claimOf(late!, fresh(), { leaseMs: 1_200, tokens: 1 });
    const one = await late!.leases.claim(claim);
    const refused = await early!.leases.claim(claimOf(early!, claim.resource));
    expect(refused.kind).toBe('refused');
    await sleep(1_250);
    const next = await early!.leases.claim(claimOf(early!, claim.resource, { tokens: 1 }));
    expect(one.kind === 'granted' && next.kind === 'granted' && next.token > one.token).toBe(true);
  });

  it('need no more rights than to read, insert, update and delete', async () => {
    await (await fixture.backend()).close();
    await fixture.rows("CREATE USER IF NOT EXISTS few@'127.0.0.1'");
    for (const table of ['bedrock_locks', 'bedrock_processes'])
      await fixture.rows(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO few@'127.0.0.1'`);
    const url = fixture.server.url.replace('root@', 'few@');
    const bedrock = new Bedrock({ backend: fixture.unready({ url, label: 'few' }) });
    await bedrock.ready();
    await bedrock.mutex('rights').run(() => undefined);
    await bedrock.readWriteLock('rights:b').read.run(() => undefined);
    await bedrock.close();
    const backend = fixture.unready({ url });
    await expect(backend.ensureSchema()).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
  });

  it('say what to do when the tables are missing', async () => {
    const backend = fixture.unready({ tablePrefix: 'nowhere_' });
    await expect(backend.leases.claim(claimOf(backend, fresh()))).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
      detail: expect.stringContaining('ensureSchema()') as string,
    });
  });

  it('have tables also where twenty processes make them at once', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const starters = Array.from({ length: 20 }, () => fixture.unready({ tablePrefix: `crowd_${round}_` }));
      await Promise.all(starters.map((backend) => backend.ensureSchema()));
      await Promise.all(starters.map((backend) => backend.close()));
    }
  });

  it('have tables that the migration makes too', async () => {
    const file = new URL('../../../../../libs/lock/src/backends/sql/mysql/migration.sql', import.meta.url);
    const statements = readFileSync(file, 'utf8')
      .replaceAll(/^--.*\n/gm, '')
      .split(';')
      .map((text) => text.trim())
      .filter((text) => text !== '');
    expect(statements).toEqual(schemaOf(tableNamesOf('bedrock_')));
    const backend = await fixture.backend({ tablePrefix: 'twice_' });
    await backend.ensureSchema();
    expect((await backend.leases.claim(claimOf(backend, fresh()))).kind).toBe('granted');
  });

  it('leave no connection, no row and no process behind after a close', async () => {
    const backend = await fixture.backend({ label: 'gone' });
    const held = claimOf(backend, fresh());
    await granted(backend, fresh());
    await backend.leases.claim(held);
    await backend.leases.withdraw(held, NOW);
    await backend.close();
    expect(
      await fixture.rows('SELECT resource FROM bedrock_locks WHERE resource = ?', [held.resource]),
    ).toEqual([]);
    expect(await fixture.rows('SELECT id FROM bedrock_processes WHERE id = ?', [backend.processId])).toEqual(
      [],
    );
    await eventually('only the observer is connected', async () => {
      const sessions = await fixture.rows(
        "SELECT id FROM information_schema.processlist WHERE user <> 'system user'",
      );
      return sessions.length === 1;
    });
  });
});
