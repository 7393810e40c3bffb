import { claimIdOf, OPERATION_MS, track } from '../../engine/bench.js';
import { Pool } from '../../engine/counting/pool.js';

describe('a semaphore whose backend fails', () => {
  let pool: Pool;
  afterEach(() => pool.close());

  it('repeats a claim without an answer under its id, so that its permits count once', async () => {
    pool = new Pool();
    pool.bench.backend.plan('claim', { kind: 'loseReply' });
    const waiting = track(pool.semaphore.acquire({ permits: 5 }));
    await pool.clock.advance(50);
    const [first, second] = pool.claims.map(({ id }) => id);
    expect(second).toBe(first);
    expect([waiting.state, await pool.held()]).toEqual(['fulfilled', 5]);
    await waiting.value!.release();
    expect(await pool.held()).toBe(0);
  });

  it('gives back what came of questions without an answer, whichever caller they were asked for', async () => {
    pool = new Pool({ leaseMs: 30_000 });
    const callers = Array.from({ length: 8 }, () => track(pool.semaphore.acquire({ waitMs: 10_000 })));
    // The first request is in flight; of the second round, the head and two others get no answer.
    pool.bench.backend.plan('claim', { kind: 'loseReply' }, 3);
    await pool.clock.settle();
    expect(pool.claims).toHaveLength(8);
    await pool.clock.advance(3 * OPERATION_MS);
    expect(callers.map(({ state }) => state)).toEqual(new Array(8).fill('fulfilled'));
    const held = (await pool.views()).map(({ id }) => id);
    expect(held.sort()).toEqual(callers.map(({ value }) => claimIdOf(value!)).sort());
    expect(pool.bench.bedrock.stats()).toMatchObject({ holds: 8, pendingWithdrawals: 0 });
    await Promise.all(callers.map(({ value }) => value!.release()));
    expect(await pool.held()).toBe(0);
  });

  it('leaves no permit behind of a burst whose every answer is late, and whose callers have gone', async () => {
    pool = new Pool({ waitMs: 50 });
    const { backend } = pool.bench;
    const first = track(pool.semaphore.acquire());
    const others = Array.from({ length: 7 }, () => track(pool.semaphore.acquire()));
    backend.plan('claim', { kind: 'delay', replyMs: 200 }, Infinity);
    await pool.clock.advance(60);
    expect([first.state, ...others.map(({ state }) => state)]).toEqual([
      'fulfilled',
      ...new Array<string>(7).fill('rejected'),
    ]);
    backend.heal();
    await pool.clock.advance(3 * OPERATION_MS);
    expect((await pool.views()).map(({ id }) => id)).toEqual([claimIdOf(first.value!)]);
    expect(pool.bench.bedrock.stats()).toMatchObject({ holds: 1, waiters: 0, pendingWithdrawals: 0 });
  });

  it('leaves no permit behind of requests that arrive after their callers have gone', async () => {
    pool = new Pool({ waitMs: 50 });
    const { backend } = pool.bench;
    await pool.semaphore.run(() => undefined);
    backend.plan('claim', { kind: 'delay', requestMs: 1_500 }, Infinity);
    const callers = Array.from({ length: 4 }, () => track(pool.semaphore.acquire({ permits: 2 })));
    await pool.clock.advance(60);
    expect(callers.map(({ state }) => state)).toEqual(new Array(4).fill('rejected'));
    backend.heal();
    await pool.clock.advance(5 * OPERATION_MS);
    expect(await pool.held()).toBe(0);
    expect(pool.bench.bedrock.stats()).toMatchObject({ resources: 0, pendingWithdrawals: 0 });
  });

  it('counts a request that arrives twice once', async () => {
    pool = new Pool();
    pool.bench.backend.plan('claim', { kind: 'double' }, Infinity);
    const leases = await Promise.all(Array.from({ length: 4 }, () => pool.semaphore.acquire({ permits: 2 })));
    expect([await pool.held(), new Set(leases.map(claimIdOf)).size]).toEqual([8, 4]);
  });

  it('reports an outage once for all callers that are asked for together', async () => {
    pool = new Pool();
    const told = pool.bench.told('backend.unavailable');
    const callers = Array.from({ length: 8 }, () => track(pool.semaphore.acquire({ failFast: true })));
    pool.bench.backend.plan('claim', { kind: 'refuse' }, Infinity);
    await pool.clock.settle();
    expect(pool.claims).toHaveLength(8);
    expect(callers.map(({ error }) => (error as { code?: string } | undefined)?.code)).toEqual([
      undefined,
      ...new Array<string>(7).fill('BACKEND_UNAVAILABLE'),
    ]);
    expect(told).toHaveLength(1);
  });

  it('answers a try during an outage at once, without asking again', async () => {
    pool = new Pool();
    pool.bench.backend.plan('claim', { kind: 'refuse' }, Infinity);
    const waiting = track(pool.semaphore.acquire());
    await pool.clock.settle();
    const asked = pool.claims.length;
    await expect(pool.semaphore.tryAcquire()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect([waiting.state, pool.claims.length]).toEqual(['pending', asked]);
    pool.bench.backend.heal();
    await pool.clock.advance(2_000);
    expect(waiting.state).toBe('fulfilled');
  });
});

describe('the leases of a semaphore', () => {
  let pool: Pool;
  afterEach(() => pool.close());

  it('are lost each for itself', async () => {
    pool = new Pool({ leaseMs: 3_000 });
    const leases = await Promise.all([1, 2, 3].map((permits) => pool.semaphore.acquire({ permits })));
    pool.bench.backend.plan('renew', { kind: 'answer', answer: ['renewed', 'lost', 'renewed'] });
    await pool.clock.advance(1_000);
    expect(leases.map(({ isLost }) => isLost)).toEqual([false, true, false]);
    await pool.clock.advance(1_000);
    expect([await pool.held(), pool.bench.bedrock.stats().holds]).toEqual([4, 2]);
    const next = track(pool.semaphore.acquire({ permits: 4 }));
    await pool.clock.advance(1);
    expect([next.state, await pool.held()]).toEqual(['fulfilled', 8]);
    await pool.clock.advance(10_000);
    expect([leases[0]!.isHeld, leases[2]!.isHeld, next.value!.isHeld]).toEqual([true, true, true]);
  });

  it('come back when their process has died: at the end of the lease, and not before', async () => {
    pool = new Pool({ leaseMs: 3_000 });
    await Promise.all([5, 3].map((permits) => pool.semaphore.acquire({ permits })));
    const waiting = track(pool.rival.acquire({ permits: 8 }));
    await pool.clock.advance(500);
    pool.bench.backend.cutOff();
    await pool.clock.advance(2_400);
    expect(waiting.state).toBe('pending');
    await pool.clock.advance(1_200);
    expect(waiting.state).toBe('fulfilled');
  });

  it('are given back at the end, and the waiters are rejected', async () => {
    pool = new Pool();
    const [mine] = await Promise.all([5, 3].map((permits) => pool.semaphore.acquire({ permits })));
    const waiting = [1, 8].map((permits) => track(pool.semaphore.acquire({ permits })));
    const closing = pool.bench.bedrock.close({ graceMs: 0 });
    await pool.clock.advance(OPERATION_MS);
    await closing;
    expect(waiting.map(({ error }) => (error as { code: string }).code)).toEqual([
      'LOCK_CLOSED',
      'LOCK_CLOSED',
    ]);
    expect([mine!.lossReason, await pool.held(), pool.clock.pendingTimers]).toEqual([
      'closed',
      0,
      expect.any(Number),
    ]);
    expect(pool.bench.bedrock.stats()).toMatchObject({ resources: 0, holds: 0, waiters: 0 });
  });

  it('of a burst in flight are given back at the end too', async () => {
    pool = new Pool();
    pool.bench.backend.plan('claim', { kind: 'delay', replyMs: 20 }, Infinity);
    const callers = Array.from({ length: 8 }, () => track(pool.semaphore.acquire()));
    await pool.clock.advance(30);
    expect(callers.filter(({ state }) => state === 'fulfilled')).toHaveLength(1);
    const closing = pool.bench.bedrock.close({ graceMs: 0 });
    await pool.clock.advance(2 * OPERATION_MS);
    await closing;
    expect(await pool.held()).toBe(0);
    expect(callers.every(({ state, value }) => state === 'rejected' || !value!.isHeld)).toBe(true);
  });
});
