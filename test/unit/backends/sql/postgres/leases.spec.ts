import { setTimeout as sleep } from 'node:timers/promises';
import { FAIR_MUTEX, MUTEX, READER, WRITER, permits } from 'bedrock-lock/backend';
import { startProxy } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, ExclusionChecker } from 'bedrock-testkit';
import { PostgresFixture, refused } from './fixture.js';

const fixture = new PostgresFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

describe('statements', () => {
  /** What `act` sends. */
  async function sentBy(
    backend: { readonly commands: number },
    act: () => Promise<unknown>,
  ): Promise<number> {
    const before = backend.commands;
    await act();
    return backend.commands - before;
  }

  it('an uncontended cycle needs two, also the first one of a resource', async () => {
    const backend = await fixture.backend();
    await granted(backend, 'warm');
    await fixture.registered(backend);
    const cycle = async () => {
      const claim = await granted(backend, 'cycle', { tokens: 8 });
      expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
    };
    for (let i = 0; i < 3; i += 1) expect(await sentBy(backend, cycle)).toBe(2);
  });

  it.each([
    ['a reader', READER],
    ['a permit', permits(1, 3)],
  ])('a cycle of %s needs two as well, once its row is there', async (_, shape) => {
    const backend = await fixture.backend();
    await granted(backend, 'warm');
    await fixture.registered(backend);
    const cycle = async () => {
      const claim = await granted(backend, 'shared', { shape });
      expect(await backend.leases.withdraw(claim, FREE)).toBe('released');
    };
    // The first one makes the row.
    await cycle();
    for (let i = 0; i < 3; i += 1) expect(await sentBy(backend, cycle)).toBe(2);
  });

  it('those of one turn share one, up to 32', async () => {
    const backend = await fixture.backend();
    await granted(backend, 'warm');
    await fixture.registered(backend);
    const names = Array.from({ length: 64 }, (_, i) => `many:${i}`);
    const claims = names.map((name) => claimOf(backend, name));
    const verdicts = async () =>
      expect(
        (await Promise.all(claims.map((claim) => backend.leases.claim(claim)))).map(({ kind }) => kind),
      ).toEqual(names.map(() => 'granted'));
    expect(await sentBy(backend, verdicts)).toBe(2);
    const renewed = () => backend.leases.renew(claims.map((claim) => ({ ...claim, keepMs: 0 })));
    expect(await sentBy(backend, renewed)).toBe(1);
    const freed = () => Promise.all(claims.map((claim) => backend.leases.withdraw(claim, FREE)));
    expect(await sentBy(backend, freed)).toBe(2);
  });

  it('a refusal costs one, also with an entry in the queue', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    await granted(one, 'taken');
    await refused(other, 'taken', { queue: false });
    await eventually(
      'the holder is known',
      async () => (await refused(other, 'taken', { queue: false })).holder?.process !== undefined,
    );
    expect(await sentBy(other, () => refused(other, 'taken', { queue: false }))).toBe(1);
    expect(await sentBy(other, () => refused(other, 'taken'))).toBe(1);
  });
});

describe('a refusal', () => {
  it('names the holder, its process and how long it has', async () => {
    const [one, other] = [await fixture.backend({ label: 'till 3' }), await fixture.backend()];
    const claim = await granted(one, 'named', { leaseMs: 4_000 });
    await eventually(
      'its process row is read',
      async () => (await refused(other, 'named')).holder?.process !== undefined,
    );
    const { holder, retryInMs } = await refused(other, 'named');
    expect(holder).toMatchObject({ id: claim.id, process: { pid: process.pid, label: 'till 3' } });
    expect(holder!.remainingMs).toBeGreaterThan(2_000);
    expect(retryInMs).toBeLessThanOrEqual(4_000);
  });

  it('by a waiter says when that one is taken for dead', async () => {
    const [one, other, third] = [await fixture.backend(), await fixture.backend(), await fixture.backend()];
    const claim = await granted(one, 'line');
    await refused(other, 'line');
    await one.leases.withdraw(claim, FREE);
    const { holder, retryInMs } = await refused(third, 'line');
    expect(holder).toBeUndefined();
    expect(retryInMs).toBeLessThanOrEqual(1_001);
    await sleep(1_050);
    await granted(third, 'line');
  });
});

describe('the queue', () => {
  it('lets processes in by their order, and keeps the position of one that was only slow', async () => {
    const [holder, first, second] = [
      await fixture.backend(),
      await fixture.backend(),
      await fixture.backend(),
    ];
    const held = await granted(holder, 'order');
    await refused(first, 'order');
    await sleep(600);
    await refused(second, 'order');
    await sleep(600);
    // The first has been silent for 1.2 s, and the second asks again: it does not wait for the first, which is not forgotten.
    await refused(second, 'order');
    await refused(first, 'order');
    await holder.leases.withdraw(held, FREE);
    await refused(second, 'order');
    await granted(first, 'order');
  });

  it('is one of claims where the order is fifo, and wakes the one that is next', async () => {
    const [holder, waiter] = [await fixture.backend(), await fixture.backend()];
    const held = await granted(holder, 'fair', { shape: FAIR_MUTEX });
    const claims = [1, 2, 3].map(() => claimOf(waiter, 'fair', { shape: FAIR_MUTEX }));
    const woken: (string | undefined)[] = [];
    await waiter.leases.watch('fair', FAIR_MUTEX, (wake) => woken.push(wake?.claimId));
    for (const claim of claims) expect((await waiter.leases.claim(claim)).kind).toBe('refused');
    await holder.leases.withdraw(held, FREE);
    await eventually('a wake', () => woken.length > 0);
    expect(woken).toEqual([claims[0]!.id]);
    expect((await waiter.leases.claim(claims[1]!)).kind).toBe('refused');
    expect((await waiter.leases.claim(claims[0]!)).kind).toBe('granted');
  });

  it('wakes no process where none waits', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    let wakes = 0;
    await other.leases.watch('quiet', MUTEX, () => (wakes += 1));
    await other.leases.watch('loud', MUTEX, () => (wakes += 10));
    await one.leases.withdraw(await granted(one, 'quiet'), FREE);
    const held = await granted(one, 'loud');
    await refused(other, 'loud');
    await one.leases.withdraw(held, FREE);
    await eventually('the wake of the other resource', () => wakes >= 10);
    expect(wakes).toBe(10);
  });
});

describe('a late request', () => {
  it('on its way is refused by the clock of the database, and changes nothing', async () => {
    const proxy = await startProxy(fixture.server.port);
    const backend = await fixture.backend({ url: fixture.urlAt(proxy.port), operationTimeoutMs: 5_000 });
    await backend.leases.withdraw(await granted(backend, 'known'), FREE);
    for (const resource of ['known', 'new']) {
      proxy.delay(200, 'requests');
      const claim = claimOf(backend, resource, { notAfter: performance.now() + 100 });
      expect(await backend.leases.claim(claim)).toEqual({ kind: 'stale' });
      proxy.delay(0);
      expect((await fixture.row(resource))?.['holder']).toBe('');
    }
    await proxy.stop();
  });

  it('is refused though it was in time before it waited for the row', async () => {
    const backend = await fixture.backend({ operationTimeoutMs: 5_000 });
    for (const resources of [['alone'], ['beside', 'other']]) {
      for (const resource of resources) await backend.leases.withdraw(await granted(backend, resource), FREE);
      const client = await fixture.observer.connect();
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM bedrock_locks WHERE resource = $1 FOR UPDATE', [resources[0]]);
      const notAfter = performance.now() + 200;
      const verdicts = Promise.all(
        resources.map((name) => backend.leases.claim(claimOf(backend, name, { notAfter }))),
      );
      await sleep(400);
      await client.query('ROLLBACK');
      client.release();
      expect((await verdicts)[0]).toEqual({ kind: 'stale' });
      expect((await fixture.row(resources[0]!))?.['holder']).toBe('');
    }
  });

  it('waits for no row beyond its time: a claim behind a locked row is granted never', async () => {
    const backend = await fixture.backend({ operationTimeoutMs: 300 });
    await backend.leases.withdraw(await granted(backend, 'locked'), FREE);
    const client = await fixture.observer.connect();
    await client.query('BEGIN');
    await client.query("SELECT 1 FROM bedrock_locks WHERE resource = 'locked' FOR UPDATE");
    const claim = claimOf(backend, 'locked');
    await expect(backend.leases.claim(claim)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await client.query('ROLLBACK');
    client.release();
    await sleep(100);
    expect((await fixture.row('locked'))?.['holder']).toBe('');
  });
});

describe('tokens', () => {
  it('exceed the time in µs, and grow though the row was removed and made again', async () => {
    const backend = await fixture.backend({ keepRowsMs: 10 });
    const first = await granted(backend, 'token', { tokens: 1_000 });
    const { rows } = await fixture.observer.query<{ us: string }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us',
    );
    expect(Math.abs(Number(rows[0]!.us) - first.token)).toBeLessThan(5_000_000);
    await backend.leases.withdraw(first, FREE);
    await eventually('the row is removed', async () => (await fixture.row('token')) === undefined);
    const second = await granted(backend, 'token', { tokens: 1 });
    expect(second.token).toBeGreaterThanOrEqual(first.token + 1_000);
  });

  it('keep the row until the time has passed those that were reserved', async () => {
    const backend = await fixture.backend({ keepRowsMs: 10 });
    // Two seconds ahead of the time.
    const first = await granted(backend, 'ahead', { tokens: 2_000_000 });
    await backend.leases.withdraw(first, FREE);
    await sleep(200);
    expect(await fixture.row('ahead')).toBeDefined();
    const second = await granted(backend, 'ahead', { tokens: 1 });
    expect(second.token).toBe(first.token + 2_000_000);
  });

  it('grow over a restart of the server', async () => {
    const backend = await fixture.backend();
    const first = await granted(backend, 'restarted', { tokens: 500_000, leaseMs: 50 });
    await fixture.server.restart();
    await eventually('it serves', () =>
      backend.ping().then(
        () => true,
        () => false,
      ),
    );
    const second = await granted(backend, 'restarted', { tokens: 1 });
    expect(second.token).toBeGreaterThanOrEqual(first.token + 500_000);
  });
});

describe('revocation', () => {
  it('is heard of by other processes at once', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const suspects: (string | undefined)[] = [];
    one.onSuspect((resource) => suspects.push(resource));
    const claim = await granted(one, 'a name with spaces');
    expect(await other.leases.revoke(claim.resource, MUTEX, 'now')).toBe(true);
    await eventually('the suspicion', () => suspects.length > 0);
    expect(suspects).toEqual([claim.resource]);
    expect(await one.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['lost']);
    expect(await other.leases.revoke(claim.resource, MUTEX, 'now')).toBe(false);
  });

  it('of readers hits the present ones, and not later ones', async () => {
    const backend = await fixture.backend();
    const early = await granted(backend, 'readers', { shape: READER });
    await backend.leases.revoke('readers', READER, 'atExpiry');
    const late = await granted(backend, 'readers', { shape: READER });
    const outcomes = await backend.leases.renew([early, late].map((claim) => ({ ...claim, keepMs: 0 })));
    expect(outcomes).toEqual(['revoked', 'renewed']);
  });
});

describe('rows', () => {
  it('of other kinds of locks are distinguished by what they hold', async () => {
    const backend = await fixture.backend();
    const writer = await granted(backend, 'kinds', { shape: WRITER });
    await refused(backend, 'kinds', { shape: READER });
    await backend.leases.withdraw(writer, FREE);
    await granted(backend, 'kinds', { shape: permits(2, 3) });
    await refused(backend, 'kinds');
    await refused(backend, 'kinds', { shape: permits(2, 3) });
    await granted(backend, 'kinds', { shape: permits(1, 3) });
  });

  it('are removed by their process after a while without use, and at its end', async () => {
    const backend = await fixture.backend({ keepRowsMs: 50 });
    const held = await granted(backend, 'held');
    await backend.leases.withdraw(await granted(backend, 'idle'), FREE);
    await eventually('the idle one is gone', async () => (await fixture.row('idle')) === undefined);
    expect(await fixture.row('held')).toBeDefined();
    await backend.leases.withdraw(held, FREE);
    await backend.leases.withdraw(await granted(backend, 'last'), FREE);
    await backend.close();
    expect(await fixture.row('held')).toBeUndefined();
    expect(await fixture.row('last')).toBeUndefined();
    const { rows } = await fixture.observer.query('SELECT * FROM bedrock_processes');
    expect(rows).toEqual([]);
  });

  it('are not removed under a process that takes them: many cycles of two processes that remove all the time', async () => {
    const backends = [await fixture.backend({ keepRowsMs: 10 }), await fixture.backend({ keepRowsMs: 10 })];
    const checker = new ExclusionChecker();
    const work = async (at: number): Promise<void> => {
      const backend = backends[at]!;
      for (let i = 0; i < 60; i += 1) {
        const verdict = await backend.leases.claim(
          claimOf(backend, 'churn', { queue: false, tokens: 1, id: `${backend.processId}:${at}${i}` }),
        );
        if (verdict.kind === 'granted') {
          const leave = checker.enter(undefined, verdict.token);
          await sleep(1);
          leave();
          await backend.leases.withdraw(
            { id: `${backend.processId}:${at}${i}`, resource: 'churn', shape: MUTEX },
            FREE,
          );
        }
        await sleep(i % 7 === 0 ? 15 : 1);
      }
    };
    await Promise.all([work(0), work(1)]);
    expect(checker.assertExclusion().leases).toBeGreaterThan(0);
  });
});
