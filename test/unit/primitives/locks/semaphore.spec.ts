import { currentLease, type Lease, type Semaphore } from 'bedrock-lock';
import { ExclusionChecker } from 'bedrock-testkit';
import { track } from '../../engine/bench.js';
import { Pool } from '../../engine/counting/pool.js';

describe('a semaphore', () => {
  let pool: Pool;
  afterEach(() => pool.close());

  const acquireAll = (semaphore: Semaphore, counts: readonly number[]): Promise<Lease[]> =>
    Promise.all(counts.map((permits) => semaphore.acquire({ permits })));

  it('gives out as many permits as there are, and the next when one comes back', async () => {
    pool = new Pool();
    const leases = await acquireAll(pool.semaphore, [1, 1, 1, 1, 1, 1, 1, 1]);
    const ninth = track(pool.semaphore.acquire());
    const rival = track(pool.rival.acquire());
    await pool.clock.advance(50);
    expect([ninth.state, rival.state, await pool.held()]).toEqual(['pending', 'pending', 8]);
    await leases[3]!.release();
    await pool.clock.settle();
    expect([ninth.state, rival.state, await pool.held()]).toEqual(['pending', 'fulfilled', 8]);
    await leases[4]!.release();
    await pool.clock.settle();
    expect([ninth.state, await pool.held()]).toEqual(['fulfilled', 8]);
  });

  it('gives several permits to one caller, all or none', async () => {
    pool = new Pool();
    const [five, two] = await acquireAll(pool.semaphore, [5, 2]);
    const three = track(pool.rival.acquire({ permits: 3 }));
    await two!.release();
    await pool.clock.settle();
    expect([three.state, await pool.held()]).toEqual(['fulfilled', 8]);
    const all = track(pool.semaphore.acquire({ permits: 8 }));
    await five!.release();
    await pool.clock.settle();
    expect([all.state, await pool.held()]).toEqual(['pending', 3]);
    await three.value!.release();
    await pool.clock.settle();
    expect([all.state, await pool.held()]).toEqual(['fulfilled', 8]);
  });

  it('gives leases: held by the clock, renewed, extended, released once, and without tokens', async () => {
    pool = new Pool({ leaseMs: 3_000 });
    const renewed = pool.bench.told('lease.renewed');
    const lease = await pool.semaphore.acquire({ permits: 3 });
    expect([lease.isHeld, lease.token, lease.resource]).toEqual([true, 0, 'pool']);
    await pool.clock.advance(20_000);
    expect([lease.isHeld, renewed.length > 10]).toEqual([true, true]);
    await lease.extend(9_000);
    expect(lease.remainingMs).toBeGreaterThan(8_000);
    expect(await lease.release()).toBe('released');
    expect([await lease.release(), lease.isHeld, await pool.held()]).toEqual(['released', false, 0]);
    {
      await using fixed = await pool.semaphore.acquire({ renew: false, leaseMs: 500 });
      expect(fixed.signal.aborted).toBe(false);
      await pool.clock.advance(500);
      expect([fixed.isLost, await pool.held()]).toEqual([true, 0]);
    }
  });

  it('renews all permits of a process in one call', async () => {
    pool = new Pool({ leaseMs: 3_000 });
    await acquireAll(pool.semaphore, [1, 2, 1, 3]);
    await pool.clock.advance(1_000);
    expect(pool.bench.backend.callsOf('renew').map(({ input }) => input.length)).toEqual([4]);
  });

  it('answers a try at once: a lease where there is room for every try, null where there is none', async () => {
    pool = new Pool();
    const tries = Array.from({ length: 9 }, () => track(pool.semaphore.tryAcquire()));
    await pool.clock.settle();
    expect(tries.map(({ state }) => state)).toEqual(new Array(9).fill('fulfilled'));
    expect(tries.map(({ value }) => value === null)).toEqual([...new Array<boolean>(8).fill(false), true]);
    expect(await pool.rival.tryAcquire()).toBeNull();
    await tries[0]!.value!.release();
    expect(await pool.semaphore.tryAcquire({ permits: 2 })).toBeNull();
    expect(await pool.semaphore.tryAcquire()).not.toBeNull();
  });

  it('does not let a try overtake a waiter', async () => {
    pool = new Pool();
    await pool.rival.acquire({ permits: 5 });
    const waiting = track(pool.semaphore.acquire({ permits: 4 }));
    await pool.clock.settle();
    const calls = pool.claims.length;
    expect(await pool.semaphore.tryAcquire()).toBeNull();
    expect([waiting.state, pool.claims.length]).toEqual(['pending', calls]);
  });

  it('knows how many are free and who holds how many', async () => {
    pool = new Pool();
    await acquireAll(pool.semaphore, [3, 1]);
    await pool.rival.acquire({ permits: 2 });
    expect([await pool.semaphore.available(), pool.semaphore.permits]).toEqual([2, 8]);
    const views = await pool.rival.inspect();
    expect(views.map(({ units, mode }) => [units, mode])).toEqual([
      [3, 'shared'],
      [1, 'shared'],
      [2, 'shared'],
    ]);
  });

  it('counts each entity for itself', async () => {
    pool = new Pool({ permits: 2 });
    const [a, b] = [pool.semaphore.for('a'), pool.semaphore.for('b')];
    expect([a.resource, a.permits, a.name]).toEqual(['pool:a', 2, 'pool']);
    await a.acquire({ permits: 2 });
    expect(await a.tryAcquire()).toBeNull();
    expect(await b.tryAcquire({ permits: 2 })).not.toBeNull();
    expect(await pool.semaphore.available()).toBe(2);
  });

  it('runs work under permits, as many as fit beside each other', async () => {
    pool = new Pool({ permits: 4 });
    const checker = new ExclusionChecker(4);
    const work = (): Promise<number> =>
      checker.run(async () => {
        await new Promise<void>((resolve) => void pool.clock.setTimer(resolve, 5));
        return currentLease()!.remainingMs;
      });
    const all = Promise.all(Array.from({ length: 10 }, () => pool.semaphore.run(work)));
    await pool.clock.advance(50);
    expect((await all).every((ms) => ms > 0)).toBe(true);
    checker.assertExclusion();
    expect([checker.peak, await pool.held()]).toEqual([4, 0]);
  });

  it('frees the permits of work that fails, and reports the loss of those of work that succeeds', async () => {
    pool = new Pool();
    await expect(pool.semaphore.run(() => Promise.reject(new Error('body')), { permits: 3 })).rejects.toThrow(
      'body',
    );
    expect(await pool.held()).toBe(0);
    const lost = track(
      pool.semaphore.run(() => new Promise<void>((resolve) => void pool.clock.setTimer(resolve, 100)), {
        maxHoldMs: 50,
      }),
    );
    await pool.clock.advance(100);
    expect(lost.error).toMatchObject({ code: 'LOCK_LOST', reason: 'maxHold' });
  });

  it('is not re-entrant: a nested run takes further permits', async () => {
    pool = new Pool();
    await pool.semaphore.run(
      async () => {
        expect(await pool.held()).toBe(3);
        await pool.semaphore.run(async () => expect(await pool.held()).toBe(8), { permits: 5 });
        expect(await pool.held()).toBe(3);
      },
      { permits: 3 },
    );
  });

  it('refuses at once what its own call chain leaves no room for', async () => {
    pool = new Pool();
    await pool.semaphore.run(
      () =>
        pool.semaphore.run(
          async () => {
            const calls = pool.claims.length;
            for (const use of [
              () => pool.semaphore.run(() => undefined, { permits: 3 }),
              () => pool.semaphore.acquire({ permits: 3 }),
            ]) {
              await expect(use()).rejects.toMatchObject({
                code: 'LOCK_SELF_DEADLOCK',
                message: expect.stringContaining('it holds 6 of 8 permits and wants 3 more') as string,
              });
            }
            expect(await pool.semaphore.tryAcquire({ permits: 3 })).toBeNull();
            expect(pool.claims).toHaveLength(calls);
            await pool.semaphore.run(() => undefined, { permits: 2 });
            await pool.semaphore.for('x').run(() => undefined, { permits: 8 });
          },
          { permits: 4 },
        ),
      { permits: 2 },
    );
  });

  it('does not count what its call chain has lost or released', async () => {
    pool = new Pool();
    await pool.semaphore.run(
      async (lease) => {
        await lease.release();
        await pool.semaphore.run(() => undefined, { permits: 8 });
      },
      { permits: 8 },
    );
    const outlived = pool.semaphore.run(
      async () => {
        await pool.clock.advance(100);
        await pool.semaphore.run(() => undefined, { permits: 8 });
      },
      { permits: 8, maxHoldMs: 50 },
    );
    await expect(outlived).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });

  it('may be revoked and freed by force, with all its holders', async () => {
    pool = new Pool({ leaseMs: 3_000 });
    const mine = await pool.semaphore.acquire({ permits: 6 });
    const theirs = await pool.rival.acquire({ permits: 2, leaseMs: 3_000 });
    expect(await pool.rival.revoke()).toBe(true);
    await pool.clock.advance(2_900);
    expect([mine.isHeld, theirs.isHeld, await pool.held()]).toEqual([true, true, 8]);
    await pool.clock.advance(200);
    expect([mine.isLost, theirs.isLost, await pool.held()]).toEqual([true, true, 0]);
    const last = await pool.semaphore.acquire({ permits: 8 });
    expect(await pool.rival.forceRelease()).toBe(true);
    await pool.clock.settle();
    expect([last.isLost, await pool.held()]).toEqual([true, 0]);
    expect([await pool.semaphore.revoke(), await pool.semaphore.forceRelease()]).toEqual([false, false]);
  });

  it('keeps permits taken for as long as they are to be held at least', async () => {
    pool = new Pool({ holdAtLeastMs: 1_000 });
    await (await pool.semaphore.acquire({ permits: 6 })).release();
    expect([await pool.held(), await pool.semaphore.available()]).toEqual([6, 2]);
    const next = track(pool.semaphore.acquire({ permits: 3 }));
    await pool.clock.advance(999);
    expect(next.state).toBe('pending');
    await pool.clock.advance(1_000);
    expect(next.state).toBe('fulfilled');
  });
});
