import { Bench, claimIdOf, track } from '../bench.js';

describe('a claim that is handed over', () => {
  let bench: Bench;
  afterEach(() => bench.close());

  it('gives a fixed lease only if the whole of it is left', async () => {
    bench = new Bench({ handOver: { quantumMs: 500 } });
    const lock = bench.lock({ leaseMs: 1_000, renew: false });
    const first = await lock.acquire();
    const waiting = lock.acquire();
    await bench.clock.advance(100);
    await first.release();
    const second = await waiting;
    expect(claimIdOf(second)).not.toBe(claimIdOf(first));
    expect(second.remainingMs).toBeCloseTo(990, 5);
  });

  it('asks for a fixed lease with the quantum on top when others wait, so that they can be served', async () => {
    bench = new Bench({ handOver: { quantumMs: 500 } });
    const lock = bench.lock({ leaseMs: 1_000, renew: false });
    const callers = [lock.acquire(), lock.acquire(), lock.acquire()];
    const first = await callers[0]!;
    await bench.clock.advance(1);
    await first.release();
    const second = await callers[1]!;
    expect((await bench.rival.inspect())[0]?.remainingMs).toBe(1_500);
    expect(second.remainingMs).toBeCloseTo(990, 5);
    await bench.clock.advance(400);
    await second.release();
    const third = await callers[2]!;
    expect(claimIdOf(third)).toBe(claimIdOf(second));
    expect(third.remainingMs).toBeCloseTo(990, 5);
  });

  it('gives a renewed lease only if a third of it is left', async () => {
    bench = new Bench({ handOver: { quantumMs: 5_000 } });
    bench.backend.plan('renew', { kind: 'loseRequest' }, Infinity);
    const lock = bench.lock();
    const first = await lock.acquire();
    const waiting = [lock.acquire(), lock.acquire()];
    await bench.clock.advance(1_900);
    await first.release();
    const second = await waiting[0]!;
    expect(claimIdOf(second)).toBe(claimIdOf(first));
    await bench.clock.advance(200);
    await second.release();
    expect(claimIdOf(await waiting[1]!)).not.toBe(claimIdOf(first));
  });

  it('never comes before holdAtLeastMs, not even to this process', async () => {
    bench = new Bench({ handOver: { quantumMs: 5_000 } });
    const lock = bench.bedrock.mutex('job', { holdAtLeastMs: 2_000 });
    const plain = bench.bedrock.mutex('r').for('x');
    const first = await lock.acquire();
    const waiting = track(lock.acquire());
    await first.release();
    await bench.clock.advance(1_999);
    expect(waiting.state).toBe('pending');
    await bench.clock.advance(1_000);
    expect(waiting.state).toBe('fulfilled');
    expect(claimIdOf(waiting.value!)).not.toBe(claimIdOf(first));
    expect(await plain.run(() => 'other locks do not care')).toBe('other locks do not care');
  });

  it('is not given to a call that wants to hold at least so long: the backend must know', async () => {
    bench = new Bench({ handOver: { quantumMs: 5_000 } });
    const lock = bench.lock();
    const first = await lock.acquire();
    const job = lock.acquire({ holdAtLeastMs: 2_000 });
    const waiting = track(lock.acquire());
    await first.release();
    const second = await job;
    expect(claimIdOf(second)).not.toBe(claimIdOf(first));
    await second.release();
    await bench.clock.advance(1_999);
    expect((await bench.rival.inspect())[0]?.remainingMs).toBe(1);
    expect(waiting.state).toBe('pending');
    await bench.clock.advance(1_000);
    expect(waiting.state).toBe('fulfilled');
  });

  it('does not give a revoked claim', async () => {
    bench = new Bench({ handOver: { quantumMs: 5_000 } });
    const first = await bench.lock().acquire();
    const waiting = bench.lock().acquire();
    await bench.rival.revoke();
    await bench.clock.settle();
    await first.release();
    expect(claimIdOf(await waiting)).not.toBe(claimIdOf(first));
  });

  it('does not give a revoked claim that a listener releases when it is told', async () => {
    bench = new Bench({ handOver: { quantumMs: 5_000 } });
    const first = await bench.lock().acquire();
    const waiting = bench.lock().acquire();
    bench.bedrock.on('lease.revoked', () => void first.release());
    await bench.rival.revoke();
    await bench.clock.settle();
    expect(claimIdOf(await waiting)).not.toBe(claimIdOf(first));
  });

  it('does not lengthen a lease: the next one ends with the claim at the latest', async () => {
    bench = new Bench({ handOver: { quantumMs: 5_000 } });
    const lock = bench.lock({ renewAt: 0.9 });
    const first = await lock.acquire();
    const waiting = lock.acquire();
    const { validUntil } = first;
    await bench.clock.advance(1_000);
    await first.release();
    expect((await waiting).validUntil).toBe(validUntil);
  });

  it('never asks for more than the longest lease of the backend', async () => {
    bench = new Bench({ handOver: { quantumMs: 5_000 } });
    const lock = bench.lock({ leaseMs: 300_000, renew: false });
    const callers = [lock.acquire(), lock.acquire(), lock.acquire()];
    for (const caller of callers) {
      const lease = await caller;
      await bench.clock.advance(1);
      await lease.release();
    }
    const longest = Math.max(...bench.backend.callsOf('claim').map(({ input }) => input.leaseMs));
    expect(longest).toBe(bench.backend.traits.maxLeaseMs);
  });
});
