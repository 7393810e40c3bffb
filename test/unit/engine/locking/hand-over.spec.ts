import { Bench, claimIdOf, track } from '../bench.js';

describe('handing over', () => {
  let bench: Bench;
  afterEach(() => bench.close());

  it('serves the next caller of this process without asking the backend', async () => {
    bench = new Bench();
    const first = await bench.lock().acquire();
    const waiting = bench.lock().acquire();
    const calls = bench.backend.calls.length;
    expect(await first.release()).toBe('released');
    const second = await waiting;
    expect(bench.backend.calls.length).toBe(calls);
    expect(claimIdOf(second)).toBe(claimIdOf(first));
    expect(second.token).toBeGreaterThan(first.token);
    expect(bench.bedrock.stats()).toMatchObject({ grants: 2, handOvers: 1 });
  });

  it('leaves the next holder alone when a lease is released twice', async () => {
    bench = new Bench();
    const first = await bench.lock().acquire();
    const waiting = bench.lock().acquire();
    await first.release();
    const second = await waiting;
    expect(await first.release()).toBe('released');
    await first[Symbol.asyncDispose]();
    await expect(first.extend()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
    expect([first.isHeld, second.isHeld]).toEqual([false, true]);
    expect(await bench.grants()).toEqual([claimIdOf(second)]);
    expect(bench.backend.callsOf('withdraw')).toEqual([]);
  });

  it('ends with the time of the quantum', async () => {
    bench = new Bench({ handOver: { quantumMs: 10 } });
    const first = await bench.lock().acquire();
    const waiting = [bench.lock().acquire(), bench.lock().acquire()];
    await bench.clock.advance(9);
    await first.release();
    const second = await waiting[0]!;
    expect(claimIdOf(second)).toBe(claimIdOf(first));
    await bench.clock.advance(1);
    await second.release();
    await bench.clock.settle();
    const third = await waiting[1]!;
    expect(claimIdOf(third)).not.toBe(claimIdOf(first));
    expect(bench.backend.callsOf('withdraw')).toHaveLength(1);
  });

  it.each([true, false])('ends with the grants of the quantum (fencing: %s)', async (fencing) => {
    bench = new Bench({ handOver: { quantumGrants: 3 } });
    const lock = bench.lock({ fencing });
    const first = lock.acquire();
    const waiting = Array.from({ length: 5 }, () => lock.acquire());
    const claims: string[] = [];
    for (const caller of [first, ...waiting]) {
      const lease = await caller;
      claims.push(claimIdOf(lease));
      await lease.release();
    }
    const [one, other] = [...new Set(claims)];
    expect(claims).toEqual([one, one, one, other, other, other]);
  });

  it('never happens with a quantum of 0', async () => {
    bench = new Bench({ handOver: { quantumMs: 0 } });
    const lock = bench.lock();
    await Promise.all([lock.run(() => undefined), lock.run(() => undefined)]);
    expect(bench.bedrock.stats()).toMatchObject({ grants: 2, handOvers: 0 });
  });

  it('lets a waiting process in between two quanta', async () => {
    bench = new Bench({ handOver: { quantumMs: 10 } });
    const order: string[] = [];
    const run = (name: string, ms: number): Promise<void> =>
      (name === 'rival' ? bench.rival : bench.lock()).run(async () => {
        order.push(name);
        await new Promise<void>((resolve) => void bench.clock.setTimer(resolve, ms));
      });
    const all = [run('a', 4), run('b', 4), run('rival', 4), run('c', 4), run('d', 4), run('e', 4)];
    await bench.clock.advance(1_000);
    await Promise.all(all);
    expect(order).toEqual(['a', 'b', 'c', 'rival', 'd', 'e']);
  });

  it('never uses a claim again once its withdraw was sent', async () => {
    bench = new Bench();
    bench.backend.plan('withdraw', { kind: 'delay', requestMs: 5 });
    const first = await bench.lock().acquire();
    const released = first.release();
    const next = track(bench.lock().acquire());
    await bench.clock.advance(4);
    expect(next.state).toBe('pending');
    await bench.clock.advance(1_000);
    expect(await released).toBe('released');
    expect(claimIdOf(next.value!)).not.toBe(claimIdOf(first));
  });
});
