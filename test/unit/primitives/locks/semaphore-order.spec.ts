import { claimIdOf, track } from '../../engine/bench.js';
import { Pool } from '../../engine/counting/pool.js';

describe('the order of a semaphore', () => {
  let pool: Pool;
  afterEach(() => pool.close());

  it('is that of arrival: a caller that wants much is not overtaken by callers that want little', async () => {
    pool = new Pool();
    const first = await pool.semaphore.acquire({ permits: 6 });
    const big = track(pool.semaphore.acquire({ permits: 5 }));
    const small = track(pool.semaphore.acquire());
    await pool.clock.advance(1_000);
    expect([big.state, small.state]).toEqual(['pending', 'pending']);
    await first.release();
    await pool.clock.settle();
    expect([big.state, small.state, await pool.held()]).toEqual(['fulfilled', 'fulfilled', 6]);
  });

  it('holds across processes: the caller that came first is not overtaken for ever', async () => {
    pool = new Pool();
    const stream: Promise<void>[] = [];
    const served: string[] = [];
    const work = (): Promise<void> =>
      pool.semaphore.run(() => new Promise((resolve) => void pool.clock.setTimer(resolve, 3)));
    for (let task = 0; task < 16; task += 1) {
      stream.push(
        (async () => {
          for (let i = 0; i < 30; i += 1) await work();
          served.push('stream');
        })(),
      );
    }
    await pool.clock.advance(5);
    const big = pool.rival.acquire({ permits: 8 }).then((lease) => {
      served.push('big');
      return lease.release();
    });
    await pool.clock.advance(1_000);
    await Promise.all([...stream, big]);
    expect(served[0]).toBe('big');
  });

  it('lets callers go on at once when one before them leaves', async () => {
    pool = new Pool();
    const held = await pool.semaphore.acquire({ permits: 6 });
    const aborted = new AbortController();
    const big = track(pool.semaphore.acquire({ permits: 5, signal: aborted.signal }));
    const late = track(pool.semaphore.acquire({ permits: 4, waitMs: 100 }));
    const small = track(pool.semaphore.acquire());
    await pool.clock.advance(50);
    aborted.abort();
    await pool.clock.advance(50);
    expect(big.error).toMatchObject({ code: 'LOCK_ABORTED' });
    expect(late.error).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT' });
    await pool.clock.settle();
    expect([small.state, await pool.held()]).toEqual(['fulfilled', 7]);
    await held.release();
  });

  it('lets the line of processes go on at once when its head leaves', async () => {
    pool = new Pool();
    await pool.rival.acquire({ permits: 6 });
    const head = track(pool.semaphore.acquire({ permits: 4, waitMs: 100 }));
    await pool.clock.settle();
    const next = track(pool.another().acquire({ permits: 2 }));
    await pool.clock.advance(99);
    expect([head.state, next.state]).toEqual(['pending', 'pending']);
    await pool.clock.advance(1);
    expect([head.state, next.state]).toEqual(['rejected', 'fulfilled']);
  });

  it('serves the next caller of this process with the permits of the last, without a round trip', async () => {
    pool = new Pool();
    const leases = await Promise.all(Array.from({ length: 4 }, () => pool.semaphore.acquire({ permits: 2 })));
    const waiting = Array.from({ length: 3 }, () => track(pool.semaphore.acquire({ permits: 2 })));
    const { calls } = pool.bench.backend;
    const before = calls.length;
    for (const lease of leases.slice(0, 3)) expect(await lease.release()).toBe('released');
    expect(waiting.map(({ value }) => claimIdOf(value!))).toEqual(leases.slice(0, 3).map(claimIdOf));
    expect(calls).toHaveLength(before);
    expect(pool.bench.bedrock.stats().handOvers).toBe(3);
  });

  it('hands permits over among all callers of the same entity', async () => {
    pool = new Pool({ permits: 2 });
    const first = await pool.semaphore.for('x').acquire({ permits: 2 });
    const second = track(pool.semaphore.for('x').acquire({ permits: 2 }));
    await first.release();
    expect(claimIdOf(second.value!)).toBe(claimIdOf(first));
  });

  it('does not hand permits over to a caller that wants another number of them', async () => {
    pool = new Pool();
    const [three] = await Promise.all([3, 5].map((permits) => pool.semaphore.acquire({ permits })));
    const waiting = [2, 1].map((permits) => track(pool.semaphore.acquire({ permits })));
    await three!.release();
    await pool.clock.settle();
    expect(waiting.map(({ state }) => state)).toEqual(['fulfilled', 'fulfilled']);
    expect([await pool.held(), pool.bench.bedrock.stats().handOvers]).toEqual([8, 0]);
  });

  it('asks for nothing while what this process holds leaves no room', async () => {
    pool = new Pool();
    await pool.semaphore.acquire({ permits: 6, leaseMs: 30_000 });
    const big = track(pool.semaphore.acquire({ permits: 3, waitMs: 4_000 }));
    const small = track(pool.semaphore.acquire({ waitMs: 4_000 }));
    await pool.clock.advance(3_999);
    expect(pool.claims).toHaveLength(1);
    expect(await pool.rival.tryAcquire({ permits: 2 })).not.toBeNull();
    await pool.clock.advance(1);
    expect([big.state, small.state]).toEqual(['rejected', 'rejected']);
  });

  it('gives a waiter of another process its turn after the quantum', async () => {
    pool = new Pool({}, { handOver: { quantumMs: 10 } });
    const served: number[] = [];
    const task = async (): Promise<void> => {
      for (let i = 0; i < 20; i += 1) {
        await pool.semaphore.run(() => new Promise<void>((resolve) => void pool.clock.setTimer(resolve, 4)));
      }
    };
    const tasks = Promise.all(Array.from({ length: 16 }, task));
    await pool.clock.advance(1);
    const rivals = Array.from({ length: 3 }, () =>
      pool.rival.acquire({ permits: 2 }).then(async (lease) => {
        served.push(pool.clock.now());
        await lease.release();
      }),
    );
    await pool.clock.advance(40);
    expect(served).toHaveLength(3);
    await pool.clock.advance(1_000);
    await Promise.all([tasks, ...rivals]);
    expect(await pool.held()).toBe(0);
  });

  it('leaves the line when its last caller was served by a hand-over', async () => {
    pool = new Pool();
    const mine = await pool.semaphore.acquire({ permits: 4 });
    const theirs = await pool.rival.acquire({ permits: 2 });
    const waiting = track(pool.semaphore.acquire({ permits: 4 }));
    await pool.clock.settle();
    const rival = track(pool.rival.acquire({ permits: 2 }));
    await mine.release();
    await pool.clock.settle();
    expect([waiting.state, rival.state]).toEqual(['fulfilled', 'fulfilled']);
    expect(claimIdOf(waiting.value!)).toBe(claimIdOf(mine));
    expect([theirs.isHeld, await pool.held()]).toEqual([true, 8]);
  });

  it('takes few round trips for a burst: the second asks for all callers that fit beside each other', async () => {
    pool = new Pool();
    pool.bench.backend.plan('claim', { kind: 'delay', requestMs: 1 }, Infinity);
    const callers = Array.from({ length: 20 }, () => track(pool.semaphore.acquire()));
    await pool.clock.advance(1);
    expect(callers.filter(({ state }) => state === 'fulfilled')).toHaveLength(1);
    await pool.clock.advance(1);
    expect(callers.map(({ state }) => state)).toEqual([
      ...new Array<string>(8).fill('fulfilled'),
      ...new Array<string>(12).fill('pending'),
    ]);
    expect(pool.claims.map(({ at, queue }) => [at, queue])).toEqual([
      [1_000, true],
      [1_001, true],
      ...Array.from({ length: 6 }, () => [1_001, false]),
    ]);
  });

  it('asks together for none but the next callers that want the same', async () => {
    pool = new Pool();
    const counts = [1, 1, 1, 2, 1];
    const callers = counts.map((permits) => track(pool.semaphore.acquire({ permits })));
    await pool.clock.settle();
    expect(callers.map(({ state }) => state)).toEqual(counts.map(() => 'fulfilled'));
    expect(pool.claims.map(({ shape }) => shape.units)).toEqual(counts);
    expect([await pool.held(), pool.bench.backend.callsOf('withdraw')]).toEqual([6, []]);
  });

  it('asks for the head alone where the last question was refused', async () => {
    pool = new Pool();
    const rival = await Promise.all(Array.from({ length: 8 }, () => pool.rival.acquire()));
    const callers = Array.from({ length: 20 }, () => track(pool.semaphore.acquire({ waitMs: 60_000 })));
    await pool.clock.settle();
    const asked = pool.claims.length;
    for (const lease of rival.slice(0, 4)) {
      await lease.release();
      await pool.clock.settle();
    }
    expect(callers.filter(({ state }) => state === 'fulfilled')).toHaveLength(4);
    expect(pool.claims.length - asked).toBeLessThanOrEqual(8);
  });

  it('keeps each process within the number of permits that it states itself', async () => {
    pool = new Pool({ permits: 8 });
    const few = pool.another(4);
    await pool.semaphore.acquire({ permits: 3 });
    const one = await few.acquire();
    expect(await few.tryAcquire()).toBeNull();
    await pool.semaphore.acquire({ permits: 4 });
    expect([await pool.held(), await few.available(), await pool.semaphore.available()]).toEqual([8, 0, 0]);
    await one.release();
    expect([await few.tryAcquire(), await pool.held()]).toEqual([null, 7]);
    expect(await pool.semaphore.tryAcquire()).not.toBeNull();
  });
});
