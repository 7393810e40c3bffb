import { currentLease } from 'bedrock-lock';
import { Bench, deferred, track } from '../bench.js';

describe('frames', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('let a nested run in without waiting for a round trip', async () => {
    const lock = bench.lock();
    const depths = await lock.run(() => lock.run(() => lock.run(() => lock.depth)));
    expect(depths).toBe(3);
    expect(bench.backend.callsOf('claim')).toHaveLength(1);
    expect(bench.backend.callsOf('withdraw')).toHaveLength(1);
    expect(bench.backend.callsOf('annotate').map(({ input }) => input.note.depth)).toEqual([2, 3, 2, 1]);
  });

  it('give the same lease at every level, and to currentLease()', async () => {
    const lock = bench.lock();
    expect(currentLease()).toBeUndefined();
    await lock.run((outer) =>
      lock.run(async (inner) => {
        await bench.clock.settle();
        expect([inner, currentLease()]).toEqual([outer, outer]);
      }),
    );
    expect(currentLease()).toBeUndefined();
  });

  it('count the open ones, whatever throws', async () => {
    const lock = bench.lock();
    const fail = (): never => {
      throw new RangeError('no');
    };
    await lock.run(async () => {
      await expect(lock.run(fail)).rejects.toThrow(RangeError);
      expect([lock.depth, lock.isHeldByCurrentFlow]).toEqual([1, true]);
    });
    expect([lock.depth, lock.isHeldByCurrentFlow]).toEqual([0, false]);
    expect(await bench.grants()).toEqual([]);
  });

  it('keep the lock while a child is open, when its parent has closed', async () => {
    const lock = bench.lock();
    const { opened, open } = deferred();
    let child: Promise<string> | undefined;
    await lock.run(() => {
      child = lock.run(() => opened.then(() => 'child done'));
    });
    await bench.clock.settle();
    expect(await bench.grants()).toHaveLength(1);
    open();
    expect(await child).toBe('child done');
    expect(await bench.grants()).toEqual([]);
  });

  it('keep two unrelated nested locks apart', async () => {
    const [a, b] = [bench.lock().for('a'), bench.lock().for('b')];
    await a.run(async (leaseA) => {
      await b.run(async (leaseB) => {
        expect([a.depth, b.depth]).toEqual([1, 1]);
        expect(currentLease()).toBe(leaseB);
        await a.run((again) => expect(again).toBe(leaseA));
        expect([a.depth, b.depth]).toEqual([1, 1]);
      });
      expect([a.depth, b.depth]).toEqual([1, 0]);
      expect(currentLease()).toBe(leaseA);
    });
  });

  it('refuse acquire() under a run on the same lock at once: it would wait for itself', async () => {
    const lock = bench.lock();
    await lock.run(async () => {
      await expect(lock.acquire()).rejects.toMatchObject({ code: 'LOCK_SELF_DEADLOCK', resource: 'r' });
      await expect(lock.for('other').acquire()).resolves.toBeDefined();
      expect(await lock.tryAcquire()).toBeNull();
    });
  });

  it('refuse a nested run where the lock is not re-entrant', async () => {
    const lock = bench.lock({ reentrant: false });
    await lock.run(() =>
      expect(lock.run(() => undefined)).rejects.toMatchObject({ code: 'LOCK_SELF_DEADLOCK' }),
    );
    expect(await lock.run(() => 'one after the other is fine')).toBe('one after the other is fine');
  });

  it('belong to their chain alone: another one waits', async () => {
    const lock = bench.lock();
    const { opened, open } = deferred();
    const first = lock.run(() => opened);
    await bench.clock.settle();
    const second = track(lock.run(() => lock.depth));
    await bench.clock.advance(10);
    expect(second.state).toBe('pending');
    expect(lock.isHeldByCurrentFlow).toBe(false);
    open();
    await first;
    await second.settled;
    expect(second.value).toBe(1);
  });

  it('let what a branch starts after its frame has closed wait like any caller', async () => {
    const lock = bench.lock();
    const { opened, open } = deferred();
    let late: Promise<number> | undefined;
    await lock.run(() => {
      late = opened.then(() => lock.run(() => lock.depth));
    });
    const held = await bench.rival.acquire();
    open();
    const tracked = track(late!);
    await bench.clock.advance(10);
    expect(tracked.state).toBe('pending');
    await held.release();
    await bench.clock.settle();
    expect(tracked.value).toBe(1);
  });

  it('do not let work begin with a lease that was lost between the grant and the body', async () => {
    let ran = false;
    bench.bedrock.on('lease.granted', () => bench.clock.block(4_000));
    await expect(bench.lock().run(() => (ran = true))).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(ran).toBe(false);
  });
});
