import { Bench, track } from '../bench.js';

describe('waking', () => {
  let bench: Bench;
  afterEach(() => bench.close());

  it('costs less than a second when the wake is lost', async () => {
    bench = new Bench();
    const held = await bench.rival.acquire();
    const caller = track(bench.lock().acquire());
    await bench.clock.advance(100);
    bench.backend.dropsWakes = true;
    await held.release();
    await bench.clock.advance(1_000);
    expect(caller.state).toBe('fulfilled');
  });

  it('is not lost while the question is in flight', async () => {
    bench = new Bench();
    const held = await bench.rival.acquire();
    const caller = track(bench.lock().acquire({ waitMs: 20_000 }));
    await bench.clock.settle();
    bench.backend.plan('claim', { kind: 'delay', replyMs: 100 });
    // The sweep asks, the server says no, and the release comes before that answer is read.
    const { length } = bench.backend.callsOf('claim');
    while (bench.backend.callsOf('claim').length === length) await bench.clock.advance(10);
    await held.release();
    await bench.clock.settle();
    expect(caller.state).toBe('pending');
    await bench.clock.advance(100);
    expect(caller.state).toBe('fulfilled');
  });

  it('costs one question, not two, while the subscription of the last wait lives', async () => {
    bench = new Bench();
    const lock = bench.lock();
    for (const questions of [2, 1]) {
      const held = await bench.rival.acquire();
      const { length } = bench.backend.callsOf('claim');
      const caller = track(lock.run(() => undefined));
      await bench.clock.advance(100);
      expect(bench.backend.callsOf('claim').length - length).toBe(questions);
      await held.release();
      await bench.clock.advance(10);
      expect(caller.state).toBe('fulfilled');
    }
  });

  it('is asked for once more after the subscription, for a release that it could not tell of', async () => {
    bench = new Bench();
    const held = await bench.rival.acquire();
    bench.backend.plan('watch', { kind: 'delay', requestMs: 100 });
    const caller = track(bench.lock().acquire());
    await bench.clock.advance(50);
    await held.release();
    expect(caller.state).toBe('pending');
    await bench.clock.advance(50);
    expect(caller.state).toBe('fulfilled');
  });

  it('falls back to asking when the subscription fails', async () => {
    bench = new Bench();
    const held = await bench.rival.acquire();
    bench.backend.plan('watch', { kind: 'refuse' }, Infinity);
    const caller = track(bench.lock().acquire());
    await bench.clock.advance(300);
    await held.release();
    await bench.clock.advance(200);
    expect(caller.state).toBe('fulfilled');
  });

  it('is replaced by asking after 20 to 200 ms on a backend without push', async () => {
    bench = new Bench({ traits: { push: false } });
    const held = await bench.rival.acquire();
    const caller = track(bench.lock().acquire());
    await bench.clock.advance(1_000);
    const times = bench.backend.callsOf('claim').map(({ at }) => at);
    const pauses = times.slice(1).map((at, i) => at - times[i]!);
    expect(pauses.slice(0, 6)).toEqual([20, 40, 80, 160, 200, 200]);
    expect(bench.backend.callsOf('watch')).toEqual([]);
    await held.release();
    await bench.clock.advance(200);
    expect(caller.state).toBe('fulfilled');
  });

  it('is helped by pollMs: the head asks at least so often', async () => {
    bench = new Bench();
    await bench.rival.acquire();
    bench.backend.dropsWakes = true;
    track(bench.lock({ pollMs: 25 }).acquire());
    await bench.clock.advance(500);
    const { length } = bench.backend.callsOf('claim');
    expect(length).toBeGreaterThanOrEqual(20);
    expect(length).toBeLessThanOrEqual(24);
  });

  it('comes to the head alone: callers behind it wait for free', async () => {
    bench = new Bench();
    await bench.rival.acquire();
    for (let i = 0; i < 100; i += 1) track(bench.lock().acquire());
    await bench.clock.advance(10);
    expect(bench.backend.callsOf('claim')).toHaveLength(2);
    expect(bench.backend.callsOf('watch')).toHaveLength(1);
    expect(bench.bedrock.stats().waiters).toBe(100);
  });

  it('by the sweep asks for all waiting heads at the same instant', async () => {
    bench = new Bench();
    const names = Array.from({ length: 30 }, (_, i) => `lock ${i}`);
    const other = bench.rival;
    await Promise.all(names.map((name) => other.for(name).acquire()));
    bench.backend.dropsWakes = true;
    for (const name of names) track(bench.lock().for(name).acquire());
    await bench.clock.settle();
    const { length } = bench.backend.callsOf('claim');
    await bench.clock.advance(1_000);
    const sweep = bench.backend.callsOf('claim').slice(length);
    expect(new Set(sweep.map(({ input }) => input.resource)).size).toBe(30);
    expect(new Set(sweep.map(({ at }) => at)).size).toBe(1);
  });

  it('keeps an unused subscription for some seconds, and no longer', async () => {
    bench = new Bench();
    const held = await bench.rival.acquire();
    const caller = bench.lock().acquire();
    await bench.clock.advance(10);
    await held.release();
    await (await caller).release();
    await bench.clock.advance(4_000);
    expect(bench.bedrock.stats().watches).toBe(1);
    await bench.clock.advance(7_000);
    expect(bench.bedrock.stats().watches).toBe(0);
  });

  it('asks anew at once when a question was refused as stale', async () => {
    bench = new Bench();
    bench.backend.plan('claim', { kind: 'answer', answer: { kind: 'stale' } });
    const caller = track(bench.lock().acquire());
    await bench.clock.advance(20);
    expect(caller.state).toBe('fulfilled');
  });
});
