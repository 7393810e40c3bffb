import { setTimeout as sleep } from 'node:timers/promises';
import { Bedrock, type Backend } from 'bedrock-lock';
import { MUTEX, READER } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { claimOf, eventually, ExclusionChecker, FREE, granted, liveness } from 'bedrock-testkit';
import { failure, pings, PostgresFixture, refused } from './fixture.js';

const fixture = new PostgresFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

describe('behind a proxy that breaks', () => {
  let proxy: TcpProxy;
  let mine: Backend;

  beforeEach(async () => {
    proxy = await startProxy(fixture.server.port);
    mine = await fixture.backend({ url: fixture.urlAt(proxy.port), operationTimeoutMs: 1_000 });
  });
  afterEach(() => proxy.stop());

  it('calls a lost reply unknown, within the time-out, and grants the repeated claim under the same id', async () => {
    await granted(mine, 'warm');
    const claim = claimOf(mine, 'lock', { tokens: 1 });
    proxy.dropReplies();
    const error = await liveness.within('an unknown result', 2_000, () => failure(mine.leases.claim(claim)));
    expect(error.executed).toBe('unknown');
    expect(await fixture.row('lock')).toMatchObject({ holder: claim.id });
    proxy.dropReplies(false);
    await eventually('a new connection', () => pings(mine));
    const other = await fixture.backend();
    await refused(other, 'lock');
    const again = await mine.leases.claim({ ...claim, notAfter: performance.now() + 1_000 });
    expect(again.kind).toBe('granted');
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
  });

  it('uses no connection again whose answer did not come: a late one goes to no other call', async () => {
    await granted(mine, 'warm');
    proxy.delay(1_400, 'replies');
    await failure(mine.leases.inspect('warm', MUTEX));
    proxy.delay(0);
    const views = await Promise.all(
      ['a', 'b', 'c'].map(async (resource) => {
        await eventually('it serves', () => pings(mine));
        return mine.leases.inspect(resource, MUTEX);
      }),
    );
    expect(views).toEqual([[], [], []]);
  });

  it('says that nothing was done when there is no connection', async () => {
    await proxy.refuse();
    proxy.cut();
    const error = await failure(mine.leases.claim(claimOf(mine, 'lock')));
    expect(error.executed).toBe('no');
    expect(await fixture.row('lock')).toBeUndefined();
    await proxy.accept();
    await eventually('it serves', () => pings(mine));
    await granted(mine, 'lock');
  });

  it('a connection that is cut while a claim is in flight leaves at most one grant, and that is of the claim', async () => {
    for (let i = 0; i < 10; i += 1) {
      const claim = claimOf(mine, `cut:${i}`);
      const asked = mine.leases.claim(claim).catch(() => undefined);
      if (i > 0) await sleep(i / 4);
      proxy.cut();
      await asked;
      await eventually('it serves', () => pings(mine));
      const outcome = await mine.leases.withdraw(claim, FREE);
      const row = await fixture.row(`cut:${i}`);
      expect(row?.['holder'] ?? '').toBe('');
      expect(['released', 'absent']).toContain(outcome);
    }
  });

  it('listens again after a cut, wakes every waiter and suspects every grant', async () => {
    const told: string[] = [];
    mine.onSuspect((resource) => told.push(`suspect ${resource}`));
    await mine.leases.watch('watched', MUTEX, () => told.push('wake'));
    proxy.cut();
    await eventually('both are heard', () => told.length >= 2);
    expect(told.sort()).toEqual(['suspect undefined', 'wake']);
    const other = await fixture.backend();
    await other.leases.revoke((await granted(other, 'revoked')).resource, MUTEX, 'now');
    await eventually('it hears again', () => told.includes('suspect revoked'));
  });
});

describe('a server', () => {
  it('that is killed and comes back keeps what it has granted, and grants it to no other process', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const claim = await granted(one, 'kept', { leaseMs: 20_000 });
    const reader = await granted(one, 'read', { shape: READER, leaseMs: 20_000 });
    fixture.server.kill('SIGKILL');
    await eventually('it is gone', async () => !(await pings(other)));
    expect((await failure(other.leases.claim(claimOf(other, 'kept')))).code).toBe('BACKEND_UNAVAILABLE');
    await fixture.server.restart();
    await eventually('it serves', async () => (await pings(one)) && (await pings(other)));
    await refused(other, 'kept');
    await refused(other, 'read');
    expect(await one.leases.renew([claim, reader].map((held) => ({ ...held, keepMs: 0 })))).toEqual([
      'renewed',
      'renewed',
    ]);
    expect(await one.leases.withdraw(claim, FREE)).toBe('released');
  });

  it('that is frozen for two leases: no caller holds longer than the lease, every call ends in time, and then it goes on', async () => {
    const backend = await fixture.backend({ operationTimeoutMs: 300 });
    const other = await fixture.backend({ operationTimeoutMs: 300 });
    const bedrock = new Bedrock({ backend });
    const lease = await bedrock.mutex('frozen').acquire({ leaseMs: 500 });
    fixture.server.pause();
    const start = performance.now();
    await liveness.within('a failure', 1_300, () => failure(other.leases.claim(claimOf(other, 'frozen'))));
    await sleep(1_000 - (performance.now() - start));
    expect(lease.isHeld).toBe(false);
    fixture.server.resume();
    await eventually('it serves', async () => (await pings(backend)) && (await pings(other)));
    await eventually('the lock is free', async () => {
      const verdict = await other.leases.claim(claimOf(other, 'frozen', { leaseMs: 50 }));
      return verdict.kind === 'granted';
    });
    expect(await lease.release()).toBe('lost');
    await bedrock.close();
  });
});

function grantsOf(holders: ReadonlyMap<string, ExclusionChecker>): number {
  return [...holders.values()].reduce((sum, { entered }) => sum + entered, 0);
}

describe('many at once', () => {
  it('64 processes that take, wait and give without a pause see no deadlock and no two holders', async () => {
    const backends = Array.from({ length: 64 }, () =>
      fixture.unready({ connections: 1, operationTimeoutMs: 10_000 }),
    );
    await Promise.all(backends.map((backend) => backend.ping()));
    const names = ['storm:a', 'storm:b', 'storm:c'];
    const holders = new Map(names.map((name) => [name, new ExclusionChecker(1, name)]));
    const errors: unknown[] = [];
    const startedAt = performance.now();
    // On a busy machine it goes on until enough were granted.
    const isOver = (): boolean => {
      const [passedMs, grants] = [performance.now() - startedAt, grantsOf(holders)];
      return passedMs > 20_000 || (passedMs > 4_000 && grants > 20);
    };
    const work = async (backend: Backend, at: number): Promise<void> => {
      while (!isOver()) {
        const wanted = names.slice(at % 2).map((resource) => claimOf(backend, resource, { queue: false }));
        const verdicts = await Promise.all(wanted.map((claim) => backend.leases.claim(claim)));
        const mine = wanted.filter((_, i) => verdicts[i]!.kind === 'granted');
        const leave = mine.map(({ resource }) => holders.get(resource)!.enter());
        await backend.leases.renew([...mine].reverse().map((claim) => ({ ...claim, keepMs: 0 })));
        for (const left of leave) left();
        await Promise.all(wanted.map((claim) => backend.leases.withdraw(claim, FREE)));
      }
    };
    await Promise.all(
      backends.map((backend, at) => work(backend, at).catch((error: unknown) => errors.push(error))),
    );
    expect(errors).toEqual([]);
    for (const checker of holders.values()) checker.assertExclusion();
    expect(grantsOf(holders)).toBeGreaterThan(20);
    const { rows } = await fixture.observer.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(Number(rows[0]!.deadlocks)).toBe(0);
  }, 60_000);

  it('a deadlock or a serialization failure of the server is tried again and never surfaces', async () => {
    const backend = await fixture.backend({ connections: 1 });
    await granted(backend, 'fails');
    // A trigger fails the first two changes as the server would.
    await fixture.observer
      .query(`CREATE SEQUENCE failures; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('failures') <= 2 THEN RAISE EXCEPTION 'as if' USING ERRCODE = '40P01'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail BEFORE UPDATE ON bedrock_locks FOR EACH ROW EXECUTE FUNCTION fail()`);
    const before = backend.commands;
    await granted(backend, 'fails', { queue: false }).catch(() => undefined);
    await backend.leases.revoke('fails', MUTEX, 'atExpiry');
    expect(backend.commands - before).toBeGreaterThanOrEqual(4);
    await fixture.observer.query(
      'DROP TRIGGER fail ON bedrock_locks; DROP FUNCTION fail; DROP SEQUENCE failures',
    );
  });

  it('a pool whose connections are all in use says so in time, and nothing was done', async () => {
    const proxy = await startProxy(fixture.server.port);
    const options = { url: fixture.urlAt(proxy.port), connections: 1, operationTimeoutMs: 1_000 };
    const backend = await fixture.backend(options);
    await backend.leases.withdraw(await granted(backend, 'warm'), FREE);
    proxy.dropReplies();
    const blocked = backend.leases.claim(claimOf(backend, 'warm')).catch(() => undefined);
    // That one has the connection by now.
    await sleep(50);
    const error = await failure(backend.leases.claim(claimOf(backend, 'other')));
    proxy.dropReplies(false);
    expect(error.executed).toBe('no');
    await blocked;
    expect(await fixture.row('other')).toBeUndefined();
    await eventually('it serves', () => pings(backend));
    await granted(backend, 'other');
    await backend.close();
    await proxy.stop();
  });
});

describe('the clock of a client', () => {
  it('does not matter: set forward or back, it neither ends nor prolongs what others hold', async () => {
    const stepMs = { value: 0 };
    const clock = { ...systemClock, wall: () => systemClock.wall() + stepMs.value };
    const [stepping, other] = [await fixture.backend({ clock }), await fixture.backend()];
    const held = await granted(other, 'clock', { leaseMs: 5_000 });
    for (stepMs.value of [3_600_000, -3_600_000]) await refused(stepping, 'clock');
    expect(await other.leases.withdraw(held, FREE)).toBe('released');
    await granted(stepping, 'clock', { leaseMs: 1_000 });
    const [view] = await other.leases.inspect('clock', MUTEX);
    expect(view!.remainingMs).toBeLessThanOrEqual(1_000);
  });
});

describe('least rights', () => {
  it('are SELECT, INSERT, UPDATE and DELETE on two tables', async () => {
    await fixture.observer.query(`DROP ROLE IF EXISTS locker; CREATE ROLE locker LOGIN;
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      GRANT SELECT, INSERT, UPDATE, DELETE ON bedrock_locks, bedrock_processes TO locker`);
    const url = fixture.server.url.replace('postgres@', 'locker@');
    const [one, other] = [await fixture.backend({ url }), await fixture.backend({ url, keepRowsMs: 20 })];
    const held = await granted(one, 'rights', { tokens: 1 });
    let wakes = 0;
    await other.leases.watch('rights', MUTEX, () => (wakes += 1));
    await refused(other, 'rights');
    expect(await one.leases.renew([{ ...held, keepMs: 0 }])).toEqual(['renewed']);
    await one.leases.withdraw(held, FREE);
    await eventually('the wake', () => wakes > 0);
    const next = await granted(other, 'rights', { shape: READER });
    await other.leases.withdraw(next, FREE);
    await eventually('the row is removed', async () => (await fixture.row('rights')) === undefined);
    const error = await failure(fixture.unready({ url, tablePrefix: 'more_' }).ensureSchema());
    expect(error.executed).toBe('no');
    await Promise.all([one.close(), other.close()]);
    await fixture.observer.query('DROP OWNED BY locker; DROP ROLE locker');
  });
});
