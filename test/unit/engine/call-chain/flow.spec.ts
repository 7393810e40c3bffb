import { runInFlow } from 'bedrock-lock';
import { Bench, track } from '../bench.js';

describe('lock() and unlock() in a flow', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('nest, and free the lock with the last unlock()', async () => {
    const lock = bench.lock();
    await runInFlow(async () => {
      await lock.lock();
      expect(await lock.tryLock()).toBe(true);
      expect([lock.depth, lock.isHeldByCurrentFlow]).toEqual([2, true]);
      expect(await lock.unlock()).toBe('released');
      expect(await bench.grants()).toHaveLength(1);
      expect(await lock.unlock()).toBe('released');
      expect(await bench.grants()).toEqual([]);
    });
  });

  it('need a flow around them', async () => {
    const lock = bench.lock();
    await expect(lock.lock()).rejects.toMatchObject({ code: 'LOCK_FLOW_REQUIRED' });
    await expect(lock.tryLock()).rejects.toMatchObject({ code: 'LOCK_FLOW_REQUIRED' });
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_FLOW_REQUIRED' });
    await lock.run(() => expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_FLOW_REQUIRED' }));
  });

  it('keep other flows out, whose unlock() is refused', async () => {
    const lock = bench.lock();
    await runInFlow(async () => {
      await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
      await lock.lock();
      await runInFlow(async () => undefined);
      const stranger = Promise.resolve().then(() => undefined);
      await stranger;
      await lock.unlock();
      await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
    });
    const holder = await lock.acquire();
    await runInFlow(async () => {
      expect(await lock.tryLock()).toBe(false);
      await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_OWNER', resource: 'r' });
    });
    expect(holder.isHeld).toBe(true);
  });

  it('wait as long as requested', async () => {
    const lock = bench.lock();
    const held = await bench.rival.acquire();
    const inVain = track(runInFlow(() => lock.tryLock(100)));
    await bench.clock.advance(110);
    expect(inVain.value).toBe(false);
    const inTime = track(
      runInFlow(async () => {
        const isLocked = await lock.tryLock(5_000);
        await lock.unlock();
        return isLocked;
      }),
    );
    await bench.clock.advance(100);
    await held.release();
    await bench.clock.settle();
    expect(inTime.value).toBe(true);
  });

  it('never close a run', async () => {
    const lock = bench.lock();
    await runInFlow(async () => {
      await lock.run(async () => {
        await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_OWNER' });
        await lock.lock();
        expect(lock.depth).toBe(2);
        await lock.unlock();
        expect(lock.isHeldByCurrentFlow).toBe(true);
      });
    });
    expect(await bench.grants()).toEqual([]);
  });

  it('nest inside of a run, with further runs inside of them', async () => {
    const lock = bench.lock();
    const depths = track(
      runInFlow(() =>
        lock.run(async () => {
          await lock.lock();
          await lock.lock();
          const deepest = await lock.run(() => lock.run(() => lock.depth));
          await lock.unlock();
          await lock.unlock();
          return [deepest, lock.depth];
        }),
      ),
    );
    await bench.clock.settle();
    expect(depths.value).toEqual([5, 1]);
    expect(await bench.grants()).toEqual([]);
  });

  it('let a run in', async () => {
    const lock = bench.lock();
    await runInFlow(async () => {
      await lock.lock();
      expect(await lock.run(() => lock.depth)).toBe(2);
      await lock.unlock();
    });
  });

  it('are undone at the end of the flow where unlock() was forgotten, and that is reported', async () => {
    const told = bench.told('flow.leaked');
    const lock = bench.lock();
    await runInFlow(async () => {
      await lock.lock();
      await lock.lock();
      await lock.for('x').lock();
    });
    expect(told).toMatchObject([
      { resource: 'r', depth: 2 },
      { resource: 'r:x', depth: 1 },
    ]);
    expect([await bench.grants(), await bench.grants('r:x')]).toEqual([[], []]);
  });

  it('are undone when the flow fails', async () => {
    const lock = bench.lock();
    const failed = runInFlow(async () => {
      await lock.lock();
      throw new RangeError('of the flow');
    });
    await expect(failed).rejects.toThrow(RangeError);
    expect(await bench.grants()).toEqual([]);
  });

  it('give up waiting when their flow has ended: no caller could unlock any more', async () => {
    const lock = bench.lock();
    const held = await bench.rival.acquire();
    let forgotten = track(Promise.resolve());
    await runInFlow(() => {
      forgotten = track(lock.lock());
    });
    await bench.clock.settle();
    expect(forgotten.error).toMatchObject({ code: 'LOCK_ABORTED' });
    await held.release();
    await bench.clock.advance(1_000);
    expect(await bench.grants()).toEqual([]);
  });

  it('tell by unlock() that the lease was lost meanwhile', async () => {
    const lock = bench.lock({ renew: false });
    await runInFlow(async () => {
      await lock.lock();
      bench.clock.block(3_000);
      await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    });
  });
});
