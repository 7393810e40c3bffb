import { Bench } from '../bench.js';

describe('renewing', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  const renewals = (): { at: number; count: number }[] =>
    bench.backend.callsOf('renew').map(({ at, input }) => ({
      at: Math.round(at) - 1_000,
      count: input.length,
    }));

  it('is one call and one timer for any number of leases', async () => {
    const before = bench.clock.pendingTimers;
    await Promise.all(Array.from({ length: 200 }, (_, i) => bench.lock().for(i).acquire()));
    expect(bench.clock.pendingTimers - before).toBeLessThanOrEqual(2);
    await bench.clock.advance(1_000);
    expect(renewals()).toEqual([{ at: 990, count: 200 }]);
    expect(bench.clock.pendingTimers - before).toBeLessThanOrEqual(2);
  });

  it('gathers leases that are due at about the same time', async () => {
    for (let i = 0; i < 20; i += 1) {
      await bench.lock().for(i).acquire();
      await bench.clock.advance(10);
    }
    await bench.clock.advance(1_000);
    expect(renewals()).toEqual([{ at: 990, count: 20 }]);
  });

  it.each([
    [1 / 3, 990],
    [0.5, 1_485],
    [0.9, 2_673],
  ])('comes after %p of the lease', async (renewAt, at) => {
    await bench.lock({ renewAt }).acquire();
    await bench.clock.advance(2_800);
    expect(renewals()[0]).toEqual({ at, count: 1 });
  });

  it('moves the end to the time before sending, plus the lease, less the margin', async () => {
    const lease = await bench.lock().acquire();
    expect(lease.validUntil).toBe(1_000 + 3_000 - 30);
    bench.backend.plan('renew', { kind: 'delay', replyMs: 400 });
    await bench.clock.advance(1_500);
    const sentAt = bench.backend.callsOf('renew')[0]!.at;
    expect(lease.validUntil).toBe(sentAt + 3_000 - 30);
  });

  it('without an answer leaves the end where it was, and is tried again after a twentieth of the lease', async () => {
    bench.backend.plan('renew', { kind: 'loseRequest' }, 4);
    const lease = await bench.lock().acquire();
    const { validUntil } = lease;
    await bench.clock.advance(1_500);
    expect(lease.validUntil).toBe(validUntil);
    expect(renewals().map(({ at }) => at)).toEqual([990, 1_140, 1_290, 1_440]);
    await bench.clock.advance(100);
    expect(lease.validUntil).toBe(1_000 + 1_590 + 2_970);
  });

  it('is tried again after one second at the latest', async () => {
    bench.backend.plan('renew', { kind: 'loseRequest' }, Infinity);
    await bench.lock({ leaseMs: 30_000 }).acquire();
    await bench.clock.advance(13_000);
    const times = renewals().map(({ at }) => at);
    expect(times.length).toBeGreaterThanOrEqual(3);
    for (const [i, at] of times.entries()) if (i > 0) expect(at - times[i - 1]!).toBe(1_000);
  });

  it('that is in flight is not sent again', async () => {
    bench.backend.plan('renew', { kind: 'delay', replyMs: 900 });
    await bench.lock().acquire();
    await bench.clock.advance(1_800);
    expect(renewals()).toHaveLength(1);
  });

  it('is not done for fixed leases, nor after a release, nor after a loss', async () => {
    const fixed = await bench.lock().for('fixed').acquire({ renew: false });
    const released = await bench.lock().for('released').acquire();
    const lost = await bench.lock().for('lost').acquire({ maxHoldMs: 500 });
    await released.release();
    await bench.clock.advance(10_000);
    expect([fixed.isHeld, lost.isHeld]).toEqual([false, false]);
    expect(renewals()).toEqual([]);
  });

  it('goes on over a hand-over, as long as a lease on the claim wants it', async () => {
    const first = await bench.lock().acquire();
    const next = bench.lock().acquire();
    await first.release();
    const lease = await next;
    await bench.clock.advance(20_000);
    expect(lease.isHeld).toBe(true);
  });

  it('lets a doubt of the backend be settled at once, for fixed leases too', async () => {
    const leases = await Promise.all([
      bench.lock().for(1).acquire(),
      bench.lock().for(2).acquire({ renew: false }),
    ]);
    const ends = leases.map(({ validUntil }) => validUntil);
    await bench.clock.advance(100);
    bench.backend.suspect('r:2');
    bench.backend.suspect();
    await bench.clock.settle();
    expect(renewals()).toEqual([
      { at: 100, count: 1 },
      { at: 100, count: 2 },
    ]);
    expect(leases[0].validUntil).toBeGreaterThan(ends[0]!);
    expect(leases[1].validUntil).toBe(ends[1]!);
  });

  it('keeps the rest of holdAtLeastMs on the server', async () => {
    const lock = bench.bedrock.mutex('job', { leaseMs: 1_000, holdAtLeastMs: 5_000 });
    const lease = await lock.acquire();
    await bench.clock.advance(400);
    expect(bench.backend.callsOf('renew')[0]?.input[0]).toMatchObject({ leaseMs: 1_000 });
    const { keepMs } = bench.backend.callsOf('renew')[0]!.input[0]!;
    expect(keepMs).toBeGreaterThan(4_500);
    await lease.release();
    expect((await bench.rival.inspect()).length).toBe(0);
    const [view] = await bench.bedrock.mutex('job', { leaseMs: 1_000, holdAtLeastMs: 5_000 }).inspect();
    expect(view?.remainingMs).toBeCloseTo(4_600, -1);
  });
});
