import type { CountingSemaphore, WaitOptions } from 'bedrock-lock';
import type { Counter } from 'bedrock-lock/backend';
import { Bench, OPERATION_MS, track } from '../bench.js';

const POOL: Counter = { kind: 'semaphore', resource: 'pool' };

describe('callers that wait for permits', () => {
  let bench: Bench;
  let pool: CountingSemaphore;
  afterEach(() => bench.close());

  async function open(permits: number, options: WaitOptions = {}): Promise<void> {
    bench = new Bench();
    pool = bench.bedrock.countingSemaphore('pool', { waitMs: 20_000, ...options });
    await pool.trySetPermits(permits);
  }

  const free = (): number => bench.store.counts.read('pool');
  const asked = () => bench.backend.callsOf('counters.take');
  /** Permits that come back from another process. */
  const give = (permits: number): unknown =>
    bench.store.counts.add(POOL, permits, {
      id: `${Math.random()}`,
      attempt: 1,
      notAfter: Infinity,
      keepMs: 1,
    });

  it('are served in order, as many at once as there are permits for', async () => {
    await open(1);
    await pool.acquire();
    const order: number[] = [];
    const callers = [2, 1, 1].map((permits, i) => pool.acquire(permits).then(() => order.push(i)));
    await bench.clock.settle();
    give(1);
    await bench.clock.advance(50);
    expect(order).toEqual([]);
    give(2);
    await Promise.all(callers.slice(0, 2));
    expect(order).toEqual([0, 1]);
    give(1);
    await callers[2];
    expect(free()).toBe(0);
  });

  it('ask together, and only when asking may help: at a wake or the sweep', async () => {
    await open(1);
    await pool.acquire();
    const callers = Array.from({ length: 100 }, () => track(pool.acquire()));
    await bench.clock.advance(6_000);
    // Asked, and asked again after the subscription; then the sweep, every 600 to 900 ms.
    expect(asked().length).toBeLessThanOrEqual(1 + 2 + 6_000 / 600);
    const before = asked().length;
    give(100);
    await bench.clock.settle();
    expect(callers.filter(({ state }) => state === 'fulfilled')).toHaveLength(100);
    expect(asked().length - before).toBe(2);
  });

  it('are served within a second when the wake is lost', async () => {
    await open(1);
    await pool.acquire();
    const caller = track(pool.acquire());
    await bench.clock.advance(100);
    bench.backend.dropsWakes = true;
    give(1);
    await bench.clock.advance(1_000);
    expect(caller.state).toBe('fulfilled');
  });

  it('are asked for once more after the subscription, for a release that it could not tell of', async () => {
    await open(1);
    await pool.acquire();
    bench.backend.plan('counters.watch', { kind: 'delay', requestMs: 100 });
    const caller = track(pool.acquire());
    await bench.clock.advance(50);
    give(1);
    expect(caller.state).toBe('pending');
    await bench.clock.advance(50);
    expect(caller.state).toBe('fulfilled');
  });

  it('hear of a wake that comes while they ask', async () => {
    await open(1);
    await pool.acquire();
    const caller = track(pool.acquire());
    await bench.clock.settle();
    bench.backend.plan('counters.take', { kind: 'delay', replyMs: 100 });
    const { length } = asked();
    while (asked().length === length) await bench.clock.advance(10);
    give(1);
    await bench.clock.settle();
    expect(caller.state).toBe('pending');
    await bench.clock.advance(100);
    expect(caller.state).toBe('fulfilled');
  });

  it('poll where nothing wakes', async () => {
    bench = new Bench({ traits: { push: false } });
    pool = bench.bedrock.countingSemaphore('pool', { waitMs: 20_000 });
    await pool.trySetPermits(1);
    await pool.acquire();
    const caller = track(pool.acquire());
    await bench.clock.advance(2_000);
    give(1);
    await bench.clock.advance(200);
    expect(caller.state).toBe('fulfilled');
    expect(bench.backend.callsOf('counters.watch')).toHaveLength(0);
  });

  it('may leave from any position, by time or by signal, with one timer for all', async () => {
    await open(1);
    await pool.acquire();
    const controller = new AbortController();
    const timers = bench.clock.pendingTimers;
    const patient = Array.from({ length: 500 }, () => track(pool.acquire()));
    const timed = track(pool.acquire(1, { waitMs: 300 }));
    const aborted = track(pool.acquire(1, { signal: controller.signal }));
    const last = track(pool.acquire());
    await bench.clock.settle();
    expect(bench.clock.pendingTimers - timers).toBeLessThanOrEqual(4);
    controller.abort(new Error('enough'));
    await bench.clock.advance(300);
    expect(aborted.error).toMatchObject({ code: 'LOCK_ABORTED', cause: { message: 'enough' } });
    expect(timed.error).toMatchObject({
      code: 'LOCK_WAIT_TIMEOUT',
      resource: 'pool',
      waitedMs: 300,
      lack: 'permits free when last asked: 0',
    });
    give(501);
    await bench.clock.settle();
    expect([...patient, last].filter(({ state }) => state === 'fulfilled')).toHaveLength(501);
  });

  it('are bounded, by maxWaiters and over all of the process', async () => {
    bench = new Bench({ maxWaitersPerProcess: 3 });
    pool = bench.bedrock.countingSemaphore('pool', { maxWaiters: 2 });
    const full = bench.told('queue.full');
    const waiting = [1, 2].map(() => track(pool.acquire()));
    await expect(pool.acquire()).rejects.toMatchObject({ code: 'QUEUE_FULL', limit: 'maxWaiters' });
    const latch = bench.bedrock.countdownLatch('latch');
    await latch.trySetCount(1);
    const third = track(latch.await());
    const isFull = { code: 'QUEUE_FULL', limit: 'maxWaitersPerProcess' };
    await expect(bench.bedrock.expirableSemaphore('e').acquire()).rejects.toMatchObject(isFull);
    expect(full).toHaveLength(2);
    await bench.clock.advance(5_000);
    for (const { error } of [...waiting, third]) expect(error).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT' });
    expect(bench.bedrock.stats().waiters).toBe(0);
  });

  it('all fail at once when the name is taken for something else', async () => {
    bench = new Bench();
    const semaphore = bench.bedrock.countingSemaphore('r', { waitMs: 20_000 });
    const callers = [1, 2, 3].map(() => track(semaphore.acquire()));
    await bench.clock.settle();
    await bench.rival.acquire();
    await bench.clock.advance(1_000);
    for (const { error } of callers)
      expect(error).toMatchObject({ code: 'LOCK_TYPE_MISMATCH', resource: 'r' });
  });

  it('go on when a driver breaks once', async () => {
    await open(1);
    bench.backend.plan('counters.take', { kind: 'fail', error: new TypeError('a broken driver') });
    const caller = track(pool.acquire());
    await bench.clock.advance(100);
    expect(caller.state).toBe('fulfilled');
  });

  it('do not let a caller that only tries pass them', async () => {
    await open(2);
    await pool.acquire(2);
    const large = track(pool.acquire(2));
    await bench.clock.settle();
    give(1);
    expect(await pool.tryAcquire()).toBe(false);
    give(1);
    await bench.clock.settle();
    expect(large.state).toBe('fulfilled');
  });

  it('of a latch that came after the question was sent are not let through by its answer', async () => {
    bench = new Bench();
    const latch = bench.bedrock.countdownLatch('latch');
    bench.backend.plan('counters.read', { kind: 'delay', replyMs: 100 });
    const early = track(latch.await());
    await bench.clock.advance(50);
    await latch.trySetCount(1);
    const late = track(latch.await());
    await bench.clock.advance(60);
    expect([early.state, late.state]).toEqual(['fulfilled', 'pending']);
    await latch.countDown();
    await bench.clock.settle();
    expect(late.state).toBe('fulfilled');
  });

  it('of a latch ask for nothing while they wait, and newcomers do not either', async () => {
    bench = new Bench();
    const latch = bench.bedrock.countdownLatch('latch');
    await latch.trySetCount(1);
    const callers = [track(latch.await())];
    await bench.clock.settle();
    const before = bench.backend.callsOf('counters.read').length;
    for (let i = 0; i < 50; i += 1) callers.push(track(latch.await()));
    await bench.clock.advance(500);
    expect(bench.backend.callsOf('counters.read').length).toBe(before);
    // A caller that does not wait is owed an answer of its own.
    await expect(latch.await({ waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    expect(bench.backend.callsOf('counters.read').length).toBe(before + 1);
    await latch.countDown();
    await bench.clock.settle();
    expect(callers.every(({ state }) => state === 'fulfilled')).toBe(true);
  });

  it('for a permit with a lease are served when the next one ends, without a wake', async () => {
    bench = new Bench();
    const semaphore = bench.bedrock.expirableSemaphore('leased', { leaseMs: 400 });
    await semaphore.trySetPermits(1);
    await semaphore.acquire();
    bench.backend.dropsWakes = true;
    const caller = track(semaphore.acquire());
    await bench.clock.advance(399);
    expect(caller.state).toBe('pending');
    await bench.clock.advance(2);
    expect(caller.state).toBe('fulfilled');
    expect(bench.backend.callsOf('permits.take')).toHaveLength(4);
  });

  it('leave nothing: no timer, no subscription, once the process has closed', async () => {
    await open(1);
    await pool.acquire();
    const callers = [1, 2].map(() => track(pool.acquire()));
    const latch = bench.bedrock.countdownLatch('latch');
    await latch.trySetCount(1);
    const waiting = track(latch.await());
    await bench.clock.settle();
    expect(bench.bedrock.stats()).toMatchObject({ waiters: 3, watches: 2 });
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(0);
    expect(closed.state).toBe('fulfilled');
    for (const { error } of [...callers, waiting]) expect(error).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(bench.clock.pendingTimers).toBe(0);
    expect(bench.bedrock.stats()).toMatchObject({ waiters: 0, watches: 0, pendingWithdrawals: 0 });
    expect(() => bench.bedrock.countdownLatch('other')).toThrow(/closed/);
    await expect(latch.countDown()).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  });

  it('get back what was on its way when the process closed', async () => {
    await open(1);
    bench.backend.plan('counters.take', { kind: 'delay', replyMs: 200 });
    const caller = track(pool.acquire());
    await bench.clock.settle();
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(100);
    expect([caller.state, closed.state, free()]).toEqual(['rejected', 'pending', 0]);
    await bench.clock.advance(100);
    expect([closed.state, free()]).toEqual(['fulfilled', 1]);
  });

  it('do not hold up a close when the backend has gone silent', async () => {
    await open(1);
    for (const verb of ['counters.take', 'counters.add', 'counters.undo', 'counters.watch'] as const)
      bench.backend.plan(verb, { kind: 'hang' }, Infinity);
    const callers = [track(pool.acquire()), track(pool.release())];
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(2 * OPERATION_MS + 100);
    expect(closed.state).toBe('fulfilled');
    expect(callers.map(({ state }) => state)).toEqual(['rejected', 'fulfilled']);
    await bench.clock.advance(2_000);
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it('leave no timer when a change is still to be repeated at the end of a close', async () => {
    await open(1);
    bench.backend.plan('counters.add', { kind: 'refuse' }, Infinity);
    const releasing = track(pool.release());
    await bench.clock.advance(3_000);
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(OPERATION_MS);
    expect([releasing.value, closed.state]).toEqual(['unconfirmed', 'fulfilled']);
    expect(bench.clock.pendingTimers).toBe(0);
  });
});
