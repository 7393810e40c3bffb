import { Bench, OPERATION_MS, track } from '../bench.js';

const IDLE = { resources: 0, waiters: 0, holds: 0, pendingWithdrawals: 0, watches: 0 };

describe('a Bedrock at rest', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('keeps nothing after a storm of callers that were served, refused, aborted and too late', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const held = await bench.rival.acquire();
    const callers = Array.from({ length: 200 }, (_, i) => {
      const lock = i % 7 === 0 ? bench.lock().for(i) : bench.lock();
      if (i % 5 === 0) return track(lock.tryAcquire());
      if (i % 5 === 1) return track(lock.acquire({ waitMs: i }));
      if (i % 5 === 2) return track(lock.acquire({ signal }));
      return track(
        lock.run(
          () =>
            bench
              .lock()
              .for('inner', i)
              .run(() => i),
          { waitMs: 60_000 },
        ),
      );
    });
    await bench.clock.advance(50);
    controller.abort();
    await held.release();
    await bench.clock.advance(1_000);
    for (const { value } of callers)
      if (typeof value === 'object' && value !== null && 'release' in value) void value.release();
    await bench.clock.advance(30_000);
    expect(callers.filter(({ state }) => state === 'pending')).toEqual([]);
    const { grants, handOvers, ...rest } = bench.bedrock.stats();
    expect(rest).toEqual(IDLE);
    expect(grants).toBeGreaterThan(handOvers);
    expect(bench.store.size).toBe(0);
  });

  it('sends nothing', async () => {
    await bench.lock().run(() => undefined);
    await bench.clock.advance(10_000);
    const { length } = bench.backend.calls;
    await bench.clock.advance(3_600_000);
    expect(bench.backend.calls).toHaveLength(length);
  });

  it('has no timer left when it is closed', async () => {
    await bench.rival.acquire();
    // The timer of its wait is left to fire.
    await bench.clock.advance(1_000);
    const timersOfRival = bench.clock.pendingTimers;
    const waiting = track(bench.lock().acquire());
    await bench.lock().for('x').acquire();
    await bench.clock.advance(2_000);
    const closed = bench.bedrock.close({ graceMs: 0 });
    await bench.clock.advance(OPERATION_MS);
    await closed;
    expect(waiting.error).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(bench.clock.pendingTimers).toBe(timersOfRival);
    expect(bench.bedrock.stats()).toMatchObject(IDLE);
  });
});

describe('closing', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('gives back a claim that was in flight', async () => {
    bench.backend.plan('claim', { kind: 'delay', replyMs: 300 });
    const caller = track(bench.lock().acquire());
    await bench.clock.advance(10);
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(200);
    expect([caller.state, closed.state]).toEqual(['rejected', 'pending']);
    await bench.clock.advance(100);
    expect(closed.state).toBe('fulfilled');
    expect(await bench.grants()).toEqual([]);
  });

  it('leaves the line, so that the next process need not wait for it', async () => {
    const held = await bench.rival.acquire();
    track(bench.lock().acquire());
    await bench.clock.advance(10);
    const behind = track(bench.rival.acquire());
    await bench.bedrock.close();
    await held.release();
    await bench.clock.settle();
    expect(behind.state).toBe('fulfilled');
  });

  it('waits for the holders, at most for its grace period', async () => {
    const lease = await bench.lock().acquire();
    const closed = track(bench.bedrock.close({ graceMs: 5_000 }));
    await bench.clock.advance(4_000);
    expect([closed.state, lease.isHeld]).toEqual(['pending', true]);
    await bench.clock.advance(1_000);
    expect([closed.state, lease.isHeld]).toEqual(['fulfilled', false]);
    expect(lease.signal.reason).toMatchObject({ reason: 'closed' });
    expect(await bench.grants()).toEqual([]);
  });

  it('is done as soon as the last holder has released', async () => {
    const lease = await bench.lock().acquire();
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(100);
    expect(await lease.release()).toBe('released');
    await bench.clock.settle();
    expect(closed.state).toBe('fulfilled');
  });

  it('lets a holder go deeper, but no new caller in', async () => {
    const lock = bench.lock();
    let closed: Promise<void> | undefined;
    const done = await lock.run(async () => {
      closed = bench.bedrock.close();
      await expect(lock.for('x').acquire()).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
      return lock.run(() => 'still re-entrant');
    });
    expect(done).toBe('still re-entrant');
    await closed;
  });

  it('settles in time when the backend has gone silent', async () => {
    await bench.lock().acquire();
    track(bench.lock().for('x').acquire());
    await bench.clock.settle();
    for (const verb of ['claim', 'withdraw', 'renew', 'watch'] as const)
      bench.backend.plan(verb, { kind: 'hang' }, Infinity);
    track(bench.lock().for('y').acquire());
    const closed = track(bench.bedrock.close({ graceMs: 500 }));
    await bench.clock.advance(500 + 2 * OPERATION_MS + 100);
    expect(closed.state).toBe('fulfilled');
  });

  it('confirms withdrawals that were still unconfirmed', async () => {
    const lease = await bench.lock().acquire();
    bench.backend.plan('withdraw', { kind: 'loseRequest' }, 3);
    void lease.release();
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(OPERATION_MS);
    expect(closed.state).toBe('fulfilled');
    expect(await bench.grants()).toEqual([]);
  });
});
