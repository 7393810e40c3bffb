import { Bench, deferred, track } from '../bench.js';

describe('a mutex that spins', () => {
  let bench: Bench;
  afterEach(() => bench.close());

  function pauses(): number[] {
    const times = bench.backend.callsOf('claim').map(({ at }) => at);
    return times.slice(1).map((at, i) => at - times[i]!);
  }

  it('asks after pauses that double from 1 to 128 ms, each from half of that to the whole', async () => {
    bench = new Bench();
    await bench.rival.acquire();
    track(bench.lock({ spin: true }).acquire());
    await bench.clock.advance(1_000);
    const lengths = [1, 2, 4, 8, 16, 32, 64, 128, 128, 128, 128];
    for (const [i, length] of lengths.entries()) {
      expect(pauses()[i]).toBeGreaterThanOrEqual(Math.max(1, length / 2));
      expect(pauses()[i]).toBeLessThanOrEqual(length);
    }
    expect(new Set(pauses().slice(7)).size).toBeGreaterThan(1);
  });

  it('takes its pauses from its options', async () => {
    bench = new Bench();
    await bench.rival.acquire();
    track(bench.lock({ spin: { firstMs: 10, lastMs: 90, factor: 3 } }).acquire());
    await bench.clock.advance(500);
    for (const [i, length] of [10, 30, 90, 90].entries()) {
      expect(pauses()[i]).toBeGreaterThanOrEqual(length / 2);
      expect(pauses()[i]).toBeLessThanOrEqual(length);
    }
  });

  it('subscribes to nothing, and asks for no grant without a question', async () => {
    bench = new Bench();
    await bench.rival.acquire();
    track(bench.lock({ spin: true }).acquire());
    await bench.clock.advance(2_000);
    expect(bench.backend.callsOf('watch')).toEqual([]);
    expect(bench.bedrock.stats().watches).toBe(0);
    expect(bench.backend.callsOf('claim').some(({ input }) => input.mayPush)).toBe(false);
  });

  it('has the lock within the longest pause, though no message tells of the release', async () => {
    bench = new Bench();
    const held = await bench.rival.acquire();
    const caller = track(bench.lock({ spin: true }).acquire());
    await bench.clock.advance(1_000);
    bench.backend.dropsWakes = true;
    await held.release();
    await bench.clock.advance(128);
    expect(caller.value?.isHeld).toBe(true);
  });

  it('asks at once when a caller of this process gives it back, and serves callers in their order', async () => {
    bench = new Bench({ handOver: { quantumMs: 0 } });
    const lock = bench.lock({ spin: { firstMs: 100, lastMs: 100 } });
    const served: number[] = [];
    const [first, second] = [deferred(), deferred()];
    const callers = [first, second].map(({ opened }, i) =>
      lock.run(async () => {
        served.push(i);
        await opened;
      }),
    );
    await bench.clock.settle();
    first.open();
    await bench.clock.settle();
    expect(served).toEqual([0, 1]);
    second.open();
    await bench.clock.settle();
    await Promise.all(callers);
  });

  it('lets only the head ask', async () => {
    bench = new Bench();
    await bench.rival.acquire();
    for (let i = 0; i < 50; i += 1) track(bench.lock({ spin: { firstMs: 50, lastMs: 50 } }).acquire());
    await bench.clock.advance(200);
    expect(bench.backend.callsOf('claim').length).toBeLessThanOrEqual(9);
  });

  it('begins with short pauses again at the next wait', async () => {
    bench = new Bench();
    const lock = bench.lock({ spin: true });
    for (let i = 0; i < 2; i += 1) {
      const held = await bench.rival.acquire();
      const { length } = bench.backend.callsOf('claim');
      const caller = track(lock.acquire());
      await bench.clock.advance(5);
      expect(bench.backend.callsOf('claim').length - length).toBeGreaterThanOrEqual(3);
      await held.release();
      await bench.clock.advance(300);
      await caller.value?.release();
    }
  });

  it('still waits out an unavailable backend by its longer pauses', async () => {
    bench = new Bench();
    bench.backend.plan('claim', { kind: 'refuse' }, 3);
    const caller = track(bench.lock({ spin: true }).acquire());
    await bench.clock.advance(349);
    expect(caller.state).toBe('pending');
    expect(bench.backend.callsOf('claim')).toHaveLength(3);
    await bench.clock.advance(1);
    expect(caller.state).toBe('fulfilled');
  });

  it('takes its turn in the line of processes: one that subscribes does not pass it by', async () => {
    bench = new Bench();
    const held = await bench.rival.acquire();
    const spinning = track(bench.lock({ spin: true }).acquire());
    await bench.clock.advance(1_000);
    const later = track(bench.rival.acquire());
    await bench.clock.advance(10);
    await held.release();
    await bench.clock.advance(128);
    expect([spinning.state, later.state]).toEqual(['fulfilled', 'pending']);
  });

  it('may be the default, and be switched off for one lock', async () => {
    bench = new Bench({ defaults: { spin: true, leaseMs: 3_000 } });
    await bench.rival.acquire();
    track(bench.lock({ spin: false }).acquire());
    await bench.clock.advance(100);
    expect(bench.backend.callsOf('watch')).toHaveLength(1);
  });

  it('is refused beside pollMs, which says the same in another way', () => {
    bench = new Bench();
    expect(() => bench.lock({ spin: true, pollMs: 20 })).toThrow(/spin must be left out/);
    expect(bench.lock({ spin: false, pollMs: 20 }).settings.pollMs).toBe(20);
  });

  it('is distinguished from one that spins otherwise', () => {
    bench = new Bench();
    expect(bench.lock({ spin: true })).toBe(bench.lock({ spin: {} }));
    expect(() => bench.lock({ spin: { lastMs: 64 } })).toThrow(/lastMs 128/);
    expect(() => bench.lock()).toThrow(/spin an object/);
  });
});
