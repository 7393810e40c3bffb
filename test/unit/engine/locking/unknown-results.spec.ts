import { Bench, claimIdOf, OPERATION_MS, track } from '../bench.js';

describe('a request or a reply that was lost', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('is asked again under the same id, so that only one grant exists', async () => {
    bench.backend.plan('claim', { kind: 'loseReply' });
    const waiting = track(bench.lock().acquire());
    await bench.clock.advance(49);
    expect(waiting.state).toBe('pending');
    await bench.clock.advance(1);
    const [first, second] = bench.backend.callsOf('claim').map(({ input }) => input.id);
    expect(second).toBe(first);
    expect(waiting.value?.isHeld).toBe(true);
    expect(await bench.grants()).toEqual([first]);
    expect(waiting.value?.validUntil).toBe(1_050 + 3_000 - 30);
  });

  it('lets a release say "unconfirmed" when its first attempt may have acted', async () => {
    const lease = await bench.lock().acquire();
    bench.backend.plan('withdraw', { kind: 'loseReply' });
    const released = track(lease.release());
    await bench.clock.advance(100);
    expect(released.value).toBe('unconfirmed');
    expect(await bench.grants()).toEqual([]);
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(0);
  });

  it('does not let a release throw when the driver throws instead of rejecting', async () => {
    const lease = await bench.lock().acquire();
    const withdraw = bench.backend.withdraw.bind(bench.backend);
    bench.backend.withdraw = () => {
      bench.backend.withdraw = withdraw;
      throw new Error('not even sent');
    };
    const released = track(lease.release());
    await bench.clock.advance(100);
    expect(released.value).toBe('released');
    expect(await bench.grants()).toEqual([]);
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(0);
  });

  it('lets a release say "released" when the first attempt did not arrive', async () => {
    const lease = await bench.lock().acquire();
    bench.backend.plan('withdraw', { kind: 'refuse' }, 2);
    const released = track(lease.release());
    await bench.clock.advance(100);
    expect(released.value).toBe('released');
    expect(bench.backend.callsOf('withdraw')).toHaveLength(3);
  });

  it('keeps a release no longer than the time-out, and confirms it in the background', async () => {
    const lease = await bench.lock().acquire();
    bench.backend.plan('withdraw', { kind: 'loseRequest' }, Infinity);
    const released = track(lease.release());
    await bench.clock.advance(OPERATION_MS);
    expect(released.value).toBe('unconfirmed');
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(1);
    expect(await bench.grants()).toEqual([claimIdOf(lease)]);
    bench.backend.heal();
    await bench.clock.advance(1_000);
    expect(await bench.grants()).toEqual([]);
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(0);
  });

  it('is no longer repeated when the grant has ended by itself', async () => {
    const lease = await bench.lock().acquire();
    bench.backend.plan('withdraw', { kind: 'loseRequest' }, Infinity);
    void lease.release();
    await bench.clock.advance(6_000);
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(0);
    const { length } = bench.backend.callsOf('withdraw');
    await bench.clock.advance(60_000);
    expect(bench.backend.callsOf('withdraw')).toHaveLength(length);
  });

  it('does not leave a grant behind that comes after every caller has gone', async () => {
    bench.backend.plan('claim', { kind: 'delay', replyMs: 300 });
    const controller = new AbortController();
    const caller = track(bench.lock().acquire({ signal: controller.signal }));
    await bench.clock.advance(100);
    controller.abort();
    await caller.settled;
    expect(caller.error).toMatchObject({ code: 'LOCK_ABORTED' });
    expect(await bench.grants()).toHaveLength(1);
    await bench.clock.advance(200);
    expect(await bench.grants()).toEqual([]);
    expect(bench.bedrock.stats()).toMatchObject({ resources: 0, pendingWithdrawals: 0 });
  });

  it('gives a claim in flight to the next caller when the one that asked has gone', async () => {
    bench.backend.plan('claim', { kind: 'delay', replyMs: 300 });
    const controller = new AbortController();
    const caller = track(bench.lock().acquire({ signal: controller.signal }));
    const next = track(bench.lock().acquire());
    await bench.clock.advance(100);
    controller.abort();
    await bench.clock.advance(200);
    expect(caller.state).toBe('rejected');
    expect(next.value?.isHeld).toBe(true);
    expect(bench.backend.callsOf('claim')).toHaveLength(1);
  });

  it('gives it back when the next caller asks for another kind of lease', async () => {
    const lock = bench.lock({ leaseMs: 500, renew: false });
    bench.backend.plan('claim', { kind: 'delay', replyMs: 100 });
    const controller = new AbortController();
    track(lock.acquire({ signal: controller.signal }));
    const next = track(lock.acquire({ leaseMs: 9_000 }));
    await bench.clock.advance(50);
    controller.abort();
    await bench.clock.advance(100);
    const [first, second] = bench.backend.callsOf('claim').map(({ input }) => input.id);
    expect(claimIdOf(next.value!)).toBe(second);
    expect(next.value?.remainingMs).toBeGreaterThan(8_800);
    expect(bench.backend.callsOf('withdraw').map(({ input }) => input.ref.id)).toContain(first);
  });

  it('is withdrawn again after the last instant at which it may arrive', async () => {
    // The connection breaks at once, the request travels on for half a second.
    bench.backend.plan('claim', { kind: 'delay', requestMs: 500, giveUpMs: 1 });
    const controller = new AbortController();
    const caller = track(bench.lock().acquire({ signal: controller.signal }));
    await bench.clock.advance(10);
    controller.abort();
    await bench.clock.advance(400);
    expect(caller.state).toBe('rejected');
    expect(bench.backend.callsOf('withdraw').length).toBeGreaterThan(0);
    await bench.clock.advance(100);
    expect(await bench.grants()).toHaveLength(1);
    await bench.clock.advance(600);
    expect(await bench.grants()).toEqual([]);
  });

  it('is withdrawn again after a release too, when the claim had been asked for twice', async () => {
    bench.backend.plan('claim', { kind: 'delay', requestMs: 500, giveUpMs: 1 });
    const caller = track(bench.lock().acquire());
    await bench.clock.advance(60);
    expect(await caller.value?.release()).toBe('released');
    await bench.clock.advance(450);
    expect(await bench.grants()).toHaveLength(1);
    await bench.clock.advance(600);
    expect(await bench.grants()).toEqual([]);
  });

  it('is refused as stale when it arrives later than that', async () => {
    bench.backend.plan('claim', { kind: 'delay', requestMs: 1_500 });
    const caller = track(bench.lock().acquire({ waitMs: 500 }));
    await bench.clock.advance(500);
    expect(caller.state).toBe('rejected');
    const grants: string[][] = [];
    for (let i = 0; i < 20; i += 1) {
      await bench.clock.advance(100);
      grants.push(await bench.grants());
    }
    expect(grants.flat()).toEqual([]);
    expect(bench.bedrock.stats().pendingWithdrawals).toBe(0);
  });

  it('does no harm when every request arrives twice', async () => {
    for (const verb of ['claim', 'withdraw', 'renew', 'watch'] as const)
      bench.backend.plan(verb, { kind: 'double' }, Infinity);
    const tokens: number[] = [];
    const callers = Array.from({ length: 5 }, async () => {
      const lease = await bench.lock().acquire({ waitMs: 20_000 });
      tokens.push(lease.token);
      await new Promise<void>((resolve) => void bench.clock.setTimer(resolve, 1_500));
      expect(lease.isHeld).toBe(true);
      expect(await lease.release()).toBe('released');
    });
    await bench.clock.advance(10_000);
    await Promise.all(callers);
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
    expect(new Set(tokens).size).toBe(5);
    expect(await bench.grants()).toEqual([]);
  });
});
