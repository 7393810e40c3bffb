import { Bench, claimIdOf, track } from '../bench.js';

describe('losing a lease', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('happens at validUntil when no renewal was confirmed, and is reported at once', async () => {
    const told = bench.told('lease.lost');
    bench.backend.plan('renew', { kind: 'loseRequest' }, Infinity);
    const lease = await bench.lock().acquire();
    const { signal } = lease;
    await bench.clock.advance(2_969);
    expect([lease.isHeld, signal.aborted, told.length]).toEqual([true, false, 0]);
    await bench.clock.advance(3);
    expect([lease.isHeld, signal.aborted]).toEqual([false, true]);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'expired', resource: 'r' });
    expect(told).toMatchObject([{ resource: 'r', leaseId: lease.id, reason: 'expired' }]);
  });

  it('counts from the time before the request was sent, however long the answer took', async () => {
    bench.backend.plan('claim', { kind: 'delay', replyMs: 700 });
    const caller = track(bench.lock().acquire());
    await bench.clock.advance(700);
    expect(caller.value?.validUntil).toBe(1_000 + 3_000 - 30);
  });

  it('comes so early that a grant after a round trip of two thirds of the lease is given back at once', async () => {
    const lock = bench.bedrock.mutex('short', { leaseMs: 300 });
    bench.backend.plan('claim', { kind: 'delay', replyMs: 250 });
    const caller = track(lock.acquire());
    await bench.clock.advance(260);
    const [useless, used] = bench.backend.callsOf('claim').map(({ input }) => input.id);
    expect(bench.backend.callsOf('withdraw').map(({ input }) => input.ref.id)).toContain(useless);
    expect(claimIdOf(caller.value!)).toBe(used);
    expect(caller.value!.remainingMs).toBeGreaterThan(280);
  });

  it('is seen in isHeld before any timer has run', async () => {
    const lease = await bench.lock().acquire();
    bench.clock.block(2_970);
    expect([lease.isHeld, lease.remainingMs]).toEqual([false, 0]);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }) as Error);
  });

  it('is not declared while a confirmed renewal is still unread', async () => {
    const told = bench.told('lease.lost');
    const lease = await bench.lock().acquire();
    bench.backend.plan('renew', { kind: 'delay', replyMs: 2_100, giveUpMs: 5_000 });
    await bench.clock.advance(2_000);
    // The loop is blocked over the end; then the timer of the end runs first, and the reply is read after it.
    bench.clock.block(1_100);
    await bench.clock.advance(0);
    expect(told).toEqual([]);
    expect(lease.isHeld).toBe(true);
  });

  it('is final: a renewal that is confirmed later changes nothing', async () => {
    const lease = await bench.lock().acquire();
    bench.backend.plan('renew', { kind: 'delay', replyMs: 2_500, giveUpMs: 5_000 });
    await bench.clock.advance(2_990);
    expect(lease.isHeld).toBe(false);
    await bench.clock.advance(1_000);
    expect([lease.isHeld, lease.isLost, lease.remainingMs]).toEqual([false, true, 0]);
    expect(await lease.release()).toBe('lost');
  });

  it('at the word of the backend is reported at once, whatever the clock says', async () => {
    const told = bench.told('lease.lost');
    const lease = await bench.lock().acquire();
    bench.backend.plan('renew', { kind: 'answer', answer: ['lost'] });
    await bench.clock.advance(1_000);
    expect(told).toMatchObject([{ reason: 'taken' }]);
    expect(lease.isHeld).toBe(false);
  });

  it('withdraws the claim, in case that the backend still has it', async () => {
    bench.backend.plan('renew', { kind: 'loseReply' }, Infinity);
    const lease = await bench.lock().acquire();
    await bench.clock.advance(3_000);
    expect(lease.isHeld).toBe(false);
    expect(bench.backend.callsOf('withdraw')[0]?.input.ref.id).toBe(claimIdOf(lease));
    expect(await bench.grants()).toEqual([]);
  });

  it('keeps the promise of holdAtLeastMs', async () => {
    const lock = bench.bedrock.mutex('job', { holdAtLeastMs: 5_000, maxHoldMs: 1_000 });
    const lease = await lock.acquire();
    await bench.clock.advance(1_010);
    expect(lease.isHeld).toBe(false);
    expect(await bench.grants('job')).toHaveLength(1);
    await bench.clock.advance(4_000);
    expect(await bench.grants('job')).toEqual([]);
  });

  it('lets the next caller ask anew', async () => {
    const first = await bench.lock().acquire({ renew: false });
    const next = track(bench.lock().acquire());
    await bench.clock.advance(3_000);
    expect(next.value?.isHeld).toBe(true);
    expect(claimIdOf(next.value!)).not.toBe(claimIdOf(first));
    expect(next.value!.token).toBeGreaterThan(first.token);
  });

  it('comes at maxHoldMs, whatever was renewed', async () => {
    const lease = await bench.lock().acquire({ maxHoldMs: 7_000 });
    await bench.clock.advance(6_999);
    expect(lease.isHeld).toBe(true);
    await bench.clock.advance(3);
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.reason).toMatchObject({ reason: 'maxHold' });
    expect(await bench.grants()).toEqual([]);
  });

  it('found out by the release is reported as a loss', async () => {
    const told = bench.told('lease.lost');
    const lease = await bench.lock().acquire();
    bench.backend.plan('withdraw', { kind: 'answer', answer: 'absent' });
    expect(await lease.release()).toBe('lost');
    expect(told).toMatchObject([{ reason: 'taken' }]);
  });
});
