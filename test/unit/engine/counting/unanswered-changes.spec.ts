import type {
  BackendUnavailableError,
  CountdownLatch,
  CountingSemaphore,
  ExpirableSemaphore,
} from 'bedrock-lock';
import { Bench, OPERATION_MS, track } from '../bench.js';

/** A change is repeated for so long at most, ms. */
const LIFE_MS = 300_000;

describe('a change without an answer', () => {
  let bench: Bench;
  let latch: CountdownLatch;
  let pool: CountingSemaphore;
  let leased: ExpirableSemaphore;

  beforeEach(async () => {
    bench = new Bench();
    latch = bench.bedrock.countdownLatch('latch');
    pool = bench.bedrock.countingSemaphore('pool');
    leased = bench.bedrock.expirableSemaphore('leased', { leaseMs: 30_000 });
    await latch.trySetCount(5);
    await pool.trySetPermits(3);
    await leased.trySetPermits(3);
  });
  afterEach(() => bench.close());

  const count = (): number => bench.store.counts.read('latch');
  const free = (): number => bench.store.counts.read('pool');
  const freeLeased = (): number => bench.store.counts.read('leased');
  const ids = (verb: 'counters.add' | 'counters.take'): string[] =>
    bench.backend.callsOf(verb).map(({ input }) => input[2].id);

  it('is repeated under its id until it is answered, and happens once', async () => {
    bench.backend
      .plan('counters.add', { kind: 'loseReply' }, 2)
      .plan('counters.add', { kind: 'loseRequest' });
    const counting = track(latch.countDown(2));
    await bench.clock.advance(200);
    expect(counting.value).toBe(3);
    expect(count()).toBe(3);
    expect(ids('counters.add')).toHaveLength(4);
    expect(new Set(ids('counters.add')).size).toBe(1);
    bench.backend.plan('counters.create', { kind: 'loseReply' });
    const other = bench.bedrock.countdownLatch('other');
    const setting = track(other.trySetCount(1));
    await bench.clock.advance(100);
    expect(setting.value).toBe(true);
    bench.backend.plan('counters.clear', { kind: 'loseReply' });
    const draining = track(pool.drainPermits());
    await bench.clock.advance(100);
    expect([draining.value, free()]).toEqual([3, 0]);
  });

  it('is given up when waitMs is over, and says whether it may have happened', async () => {
    bench.backend.plan('counters.add', { kind: 'hang' }, Infinity);
    const unknown = track(latch.countDown());
    await bench.clock.advance(5_000);
    expect(ids('counters.add').length).toBeGreaterThanOrEqual(4);
    expect(unknown.error).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'unknown',
      resource: 'latch',
    });
    bench.backend.heal();
    bench.backend.plan('counters.add', { kind: 'refuse' }, Infinity);
    const refused = track(latch.countDown());
    await bench.clock.advance(5_000);
    expect(refused.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    bench.backend.heal();
    bench.backend
      .plan('counters.add', { kind: 'loseReply' })
      .plan('counters.add', { kind: 'refuse' }, Infinity);
    const mixed = track(latch.countDown());
    await bench.clock.advance(5_000);
    expect(mixed.error).toMatchObject({ executed: 'unknown' });
  });

  it('settles within waitMs, whatever that is', async () => {
    const quick = bench.bedrock.countdownLatch('quick', { waitMs: 0 });
    const failFast = bench.bedrock.countdownLatch('failFast', { failFast: true });
    bench.backend.plan('counters.add', { kind: 'hang' }, Infinity);
    const callers = [track(quick.countDown()), track(failFast.countDown())];
    await bench.clock.advance(OPERATION_MS);
    for (const { error } of callers) expect(error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('by which a caller took permits is repeated while the caller waits, and takes once', async () => {
    bench.backend.plan('counters.take', { kind: 'loseReply' }).plan('counters.take', { kind: 'loseRequest' });
    const caller = track(pool.acquire(2));
    await bench.clock.advance(500);
    expect(caller.state).toBe('fulfilled');
    expect(free()).toBe(1);
    expect(new Set(ids('counters.take')).size).toBe(1);
  });

  it('by which a caller took permits is undone when the caller leaves', async () => {
    bench.backend.plan('counters.take', { kind: 'loseReply' }, Infinity);
    const caller = track(pool.acquire(2, { waitMs: 300 }));
    await bench.clock.settle();
    expect(free()).toBe(1);
    await bench.clock.advance(300);
    expect(caller.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    await bench.clock.advance(100);
    expect(free()).toBe(3);
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(0);
  });

  it('is undone again and again until that is confirmed, and gives back once', async () => {
    bench.backend.plan('counters.take', { kind: 'loseReply' }, Infinity);
    bench.backend.plan('counters.undo', { kind: 'loseReply' }, 2).plan('counters.undo', { kind: 'hang' }, 3);
    const controller = new AbortController();
    const caller = track(pool.acquire(2, { signal: controller.signal }));
    await bench.clock.settle();
    controller.abort();
    await bench.clock.advance(10 * OPERATION_MS);
    expect(caller.error).toMatchObject({ code: 'LOCK_ABORTED' });
    expect(bench.backend.callsOf('counters.undo')).toHaveLength(6);
    expect(free()).toBe(3);
  });

  it('that arrives after it was undone takes nothing', async () => {
    bench.backend.plan('counters.take', { kind: 'delay', requestMs: 600, giveUpMs: 100 });
    const controller = new AbortController();
    track(pool.acquire(2, { signal: controller.signal }));
    await bench.clock.advance(50);
    controller.abort();
    await bench.clock.advance(100);
    expect(bench.backend.callsOf('counters.undo')).toHaveLength(1);
    await bench.clock.advance(1_000);
    expect(free()).toBe(3);
  });

  it('leaves the callers behind it in peace', async () => {
    bench.backend.plan('counters.take', { kind: 'loseReply' });
    const first = track(pool.acquire(3, { waitMs: 60 }));
    await bench.clock.settle();
    const second = track(pool.acquire(3));
    bench.backend.plan('counters.take', { kind: 'loseRequest' }, 2);
    await bench.clock.advance(1_000);
    expect([first.state, second.state]).toEqual(['rejected', 'fulfilled']);
    expect(free()).toBe(0);
  });

  it('gives back what was granted to a caller that had left, and keeps the rest', async () => {
    await pool.acquire(3);
    const controller = new AbortController();
    const leaving = track(pool.acquire(1, { signal: controller.signal }));
    const staying = track(pool.acquire(1));
    await bench.clock.settle();
    bench.backend.plan('counters.take', { kind: 'delay', replyMs: 100 });
    await pool.release(2);
    await bench.clock.advance(50);
    controller.abort();
    await bench.clock.advance(50);
    expect([leaving.state, staying.state]).toEqual(['rejected', 'fulfilled']);
    expect(free()).toBe(1);
  });

  it('is not sent again once the server may have forgotten it', async () => {
    bench.backend.plan('counters.take', { kind: 'loseRequest' }, Infinity);
    const patient = bench.bedrock.countingSemaphore('pool2', { waitMs: Infinity });
    const caller = track(patient.acquire());
    await bench.clock.advance(LIFE_MS + 2_000);
    const used = bench.backend.callsOf('counters.take').map(({ input, at }) => ({ id: input[2].id, at }));
    expect(new Set(used.map(({ id }) => id)).size).toBe(2);
    for (const { id } of used) {
      const sends = used.filter((one) => one.id === id).map(({ at }) => at);
      expect(sends.at(-1)! - sends[0]!).toBeLessThan(LIFE_MS);
    }
    for (const { input } of bench.backend.callsOf('counters.take'))
      expect(input[2].keepMs).toBeGreaterThan(LIFE_MS + OPERATION_MS);
    bench.backend.heal();
    await patient.addPermits(1);
    await bench.clock.advance(2_000);
    expect(caller.state).toBe('fulfilled');
  });

  it('by which permits come back goes on in the background, and happens once', async () => {
    await pool.acquire(2);
    bench.backend.plan('counters.add', { kind: 'loseReply' }).plan('counters.add', { kind: 'hang' }, 3);
    const releasing = track(pool.release(2));
    await bench.clock.advance(OPERATION_MS);
    expect(releasing.value).toBe('unconfirmed');
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(1);
    await bench.clock.advance(4 * OPERATION_MS);
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(0);
    expect(free()).toBe(3);
  });

  it('by which permits come back is finished by close()', async () => {
    await pool.acquire(2);
    bench.backend.plan('counters.add', { kind: 'loseRequest' }, 3);
    void pool.release(2);
    const closed = track(bench.bedrock.close());
    await bench.clock.advance(OPERATION_MS);
    expect(closed.state).toBe('fulfilled');
    expect(free()).toBe(3);
  });

  it('that asked for a permit with a lease leaks none, also one without an end', async () => {
    bench.backend.plan('permits.take', { kind: 'loseReply' }, Infinity);
    const caller = track(leased.acquireMany(2, { leaseMs: Infinity, waitMs: 300 }));
    await bench.clock.settle();
    expect(freeLeased()).toBe(1);
    await bench.clock.advance(500);
    expect(caller.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    expect(freeLeased()).toBe(3);
  });

  it('that asked for a permit with a lease is granted once when it is repeated', async () => {
    bench.backend.plan('permits.take', { kind: 'loseReply' }, 2);
    const caller = track(leased.acquireMany(2));
    await bench.clock.advance(500);
    expect(caller.value).toHaveLength(2);
    expect(freeLeased()).toBe(1);
    bench.backend.plan('permits.release', { kind: 'loseReply' });
    const releasing = track(caller.value![0]!.release());
    await bench.clock.advance(100);
    expect([releasing.value, freeLeased()]).toEqual(['released', 2]);
  });

  it('by which a lease begins anew counts the shorter end until it is answered', async () => {
    const permit = await leased.acquire({ leaseMs: 1_000 });
    bench.backend.plan('permits.extend', { kind: 'loseRequest' }, Infinity);
    const longer = track(permit.extend(20_000));
    await bench.clock.settle();
    expect(permit.remainingMs).toBeLessThanOrEqual(1_000);
    bench.backend.heal();
    await bench.clock.advance(100);
    expect(longer.value).toBe(true);
    expect(permit.remainingMs).toBeGreaterThan(19_000);
    bench.backend.plan('permits.extend', { kind: 'hang' }, Infinity);
    const shorter = track(permit.extend(500));
    await bench.clock.settle();
    expect(permit.remainingMs).toBeLessThanOrEqual(500);
    await bench.clock.advance(500);
    expect([shorter.state, permit.isHeld]).toEqual(['pending', false]);
  });

  it('is reported, and callers that fail fast hear of it at once', async () => {
    const told = bench.told('backend.unavailable');
    bench.backend.plan('counters.take', { kind: 'refuse' }, Infinity);
    const patient = track(pool.acquire());
    await bench.clock.advance(60);
    await expect(pool.acquire(1, { failFast: true })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(told.length).toBeGreaterThanOrEqual(2);
    expect(told[0]).toMatchObject({ resource: 'pool', retryInMs: 50 });
    expect((told[0]!.error as BackendUnavailableError).executed).toBe('no');
    await bench.clock.advance(5_000);
    expect(patient.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    await expect(pool.tryAcquire()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });
});
