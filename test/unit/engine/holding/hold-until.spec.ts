import type { Lease } from 'bedrock-lock';
import { BAD_VALUES } from '../../bad-input/bad-values.js';
import { Bench, track } from '../bench.js';
import { MultiBench } from '../../primitives/locks/multi-bench.js';

/** Work that ends when the test says so. */
function work() {
  let finish!: () => void;
  let fail!: (why: Error) => void;
  const promise = new Promise<void>((resolve, reject) => ([finish, fail] = [resolve, reject]));
  return { promise, finish, fail };
}

describe('a lock that is held until something else has ended', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('stays held after the body of run(), which gives its result at once', async () => {
    const commit = work();
    const released = bench.told('lease.released');
    let lease!: Lease;
    const result = await bench.lock().run((mine) => {
      (lease = mine).holdUntil(commit.promise);
      return 'done';
    });
    expect(result).toBe('done');
    await bench.clock.advance(20_000);
    expect([lease.isHeld, await bench.grants(), released]).toEqual([true, [lease.id.split('/')[0]], []]);
    commit.finish();
    await bench.clock.advance(1);
    expect([lease.isHeld, await bench.grants()]).toEqual([false, []]);
    expect(released).toMatchObject([{ leaseId: lease.id, outcome: 'released' }]);
  });

  it('answers a release with "deferred", however often it is asked', async () => {
    const commit = work();
    const lease = await bench.lock().acquire();
    lease.holdUntil(commit.promise);
    expect([await lease.release(), await lease.release()]).toEqual(['deferred', 'deferred']);
    expect(lease.isHeld).toBe(true);
    commit.finish();
    await bench.clock.advance(1);
    expect([lease.isHeld, await lease.release()]).toEqual([false, 'released']);
  });

  it('waits for the last of several, and takes more as long as it is held', async () => {
    const [one, other, late] = [work(), work(), work()];
    const lease = await bench.lock().acquire();
    lease.holdUntil(one.promise);
    lease.holdUntil(other.promise);
    await lease.release();
    other.finish();
    await bench.clock.advance(1);
    lease.holdUntil(late.promise);
    one.finish();
    await bench.clock.advance(1);
    expect(lease.isHeld).toBe(true);
    late.finish();
    await bench.clock.advance(1);
    expect(lease.isHeld).toBe(false);
    expect(() => lease.holdUntil(one.promise)).toThrow(
      expect.objectContaining({ code: 'LOCK_NOT_HELD' }) as Error,
    );
  });

  it('is released as ever when the work has ended before', async () => {
    const commit = work();
    const lease = await bench.lock().acquire();
    lease.holdUntil(commit.promise);
    commit.finish();
    await bench.clock.advance(1);
    expect([lease.isHeld, await lease.release()]).toEqual([true, 'released']);
  });

  it('ends when the work fails too, and the failure stays with its owner', async () => {
    const commit = work();
    const lease = await bench.lock().acquire();
    lease.holdUntil(commit.promise);
    await lease.release();
    commit.fail(new RangeError('rolled back'));
    await bench.clock.advance(1);
    expect(lease.isHeld).toBe(false);
    await expect(commit.promise).rejects.toThrow('rolled back');
  });

  it('goes on to the next caller of this process when it ends, without a round trip', async () => {
    const commit = work();
    const lease = await bench.lock().acquire();
    lease.holdUntil(commit.promise);
    await lease.release();
    const next = track(bench.lock().acquire());
    await bench.clock.advance(5);
    expect(next.state).toBe('pending');
    const before = bench.backend.callsOf('withdraw').length;
    commit.finish();
    await next.settled;
    expect(bench.backend.callsOf('withdraw')).toHaveLength(before);
    await next.value!.release();
  });

  it('keeps the whole of a nested hold', async () => {
    const commit = work();
    const lock = bench.lock();
    const lease = await lock.run(() =>
      lock.run((inner) => {
        inner.holdUntil(commit.promise);
        return inner;
      }),
    );
    await bench.clock.advance(1);
    expect([lease.isHeld, lock.depth]).toEqual([true, 0]);
    commit.finish();
    await bench.clock.advance(1);
    expect(lease.isHeld).toBe(false);
  });

  it('lets no caller of the same call chain in once its run is over', async () => {
    const commit = work();
    const lock = bench.lock();
    await lock.run((lease) => lease.holdUntil(commit.promise));
    await expect(lock.run(() => 'in', { waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    commit.finish();
    await bench.clock.advance(1);
    await expect(lock.run(() => 'in', { waitMs: 0 })).resolves.toBe('in');
  });

  it('can be lost as ever: at maxHoldMs, with an event and the signal', async () => {
    const told = bench.told('lease.lost');
    const commit = work();
    const lease = await bench.lock().acquire({ maxHoldMs: 5_000 });
    lease.holdUntil(commit.promise);
    await lease.release();
    const { signal } = lease;
    await bench.clock.advance(5_001);
    expect([lease.isHeld, signal.aborted, await lease.release()]).toEqual([false, true, 'lost']);
    expect(told).toMatchObject([{ leaseId: lease.id, reason: 'maxHold' }]);
    commit.finish();
    await bench.clock.advance(1);
    expect(told).toHaveLength(1);
  });

  it('takes nothing but a promise, and goes on as it was after anything else', async () => {
    const lease = await bench.lock().acquire();
    for (const bad of [...BAD_VALUES.map(([, value]) => value), { then: 'later' }]) {
      expect(() => lease.holdUntil(bad as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION', field: 'work' }) as Error,
      );
    }
    expect([lease.isHeld, await lease.release()]).toEqual([true, 'released']);
  });

  it('is let go when the service closes', async () => {
    const commit = work();
    const lease = await bench.lock().acquire();
    lease.holdUntil(commit.promise);
    await lease.release();
    const closed = bench.bedrock.close({ graceMs: 100 });
    await bench.clock.advance(5_000);
    await closed;
    expect([lease.isHeld, await bench.grants()]).toEqual([false, []]);
    commit.finish();
    await bench.clock.advance(1);
  });
});

describe('several locks that are held until something else has ended', () => {
  let bench: MultiBench;
  beforeEach(() => (bench = new MultiBench()));
  afterEach(() => bench.close());

  it('are all held on, and all released then', async () => {
    const commit = work();
    const lease = await bench.multi('abc').acquire();
    lease.holdUntil(commit.promise);
    expect([await lease.release(), lease.isHeld, await bench.granted()]).toEqual([
      'deferred',
      true,
      ['a', 'b', 'c'],
    ]);
    commit.finish();
    await bench.clock.advance(1);
    expect([lease.isHeld, await bench.granted()]).toEqual([false, []]);
  });
});
