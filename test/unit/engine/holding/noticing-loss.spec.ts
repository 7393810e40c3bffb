import { Bench, track } from '../bench.js';

describe('the loss of a lease', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('comes when the system has slept longer than the lease, which its own clock did not count', async () => {
    const told = bench.told('lease.lost');
    const lease = await bench.lock().acquire();
    bench.clock.suspend(3_000);
    expect(lease.isHeld).toBe(false);
    await bench.clock.advance(1_000);
    expect(told).toMatchObject([{ reason: 'suspended' }]);
    expect(await lease.release()).toBe('lost');
  });

  it('counts a short sleep too: the lease ends so much earlier', async () => {
    const lease = await bench.lock().acquire({ renew: false });
    bench.clock.suspend(2_000);
    // A lease of 3 s, less 1 % for the drift of clocks.
    await bench.clock.advance(969);
    expect(lease.isHeld).toBe(true);
    await bench.clock.advance(1);
    expect(lease.isHeld).toBe(false);
  });

  it('by sleep is named by a release that comes first', async () => {
    const lease = await bench.lock().acquire();
    bench.clock.suspend(3_000);
    expect(await lease.release()).toBe('lost');
    expect(lease.signal.reason).toMatchObject({ reason: 'suspended' });
  });

  it('makes run() throw, and never hides an error of the body', async () => {
    const wait = (): Promise<void> => new Promise((resolve) => void bench.clock.setTimer(resolve, 5_000));
    const silent = track(bench.lock().run(wait, { renew: false }));
    const failing = track(
      bench
        .lock()
        .for('x')
        .run(async () => wait().then(() => Promise.reject(new RangeError('of the body'))), {
          renew: false,
        }),
    );
    await bench.clock.advance(5_000);
    expect(silent.error).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    expect(failing.error).toBeInstanceOf(RangeError);
  });

  it('between the body and the release is no success either', async () => {
    const lock = bench.lock();
    const done = lock.run(() => {
      bench.clock.block(3_000);
      return 'done';
    });
    await expect(done).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });

  it('is followed by word of a blocked event loop, when that was the reason', async () => {
    const told = bench.told('loop.stalled');
    await bench.lock().acquire();
    await bench.clock.advance(900);
    bench.clock.block(160);
    await bench.clock.advance(0);
    expect(told).toEqual([]);
    bench.clock.block(2_000);
    await bench.clock.advance(0);
    expect(told).toHaveLength(1);
    expect(told[0]!.lateMs).toBeGreaterThan(1_000);
  });

  it('aborts a signal that is looked at only afterwards, and no release ever does', async () => {
    const lost = await bench.lock().acquire({ renew: false });
    await bench.clock.advance(3_000);
    expect(lost.signal.aborted).toBe(true);
    const released = await bench.lock().acquire();
    const { signal } = released;
    await released.release();
    await bench.clock.advance(10_000);
    expect(signal.aborted).toBe(false);
  });
});
