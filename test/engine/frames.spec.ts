import { currentLease } from 'bedrock-lock';
import { Bench, track } from './bench.js';

/** A promise and its key. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('frames', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('let a nested run in without a trip that is waited for', async () => {
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
    const { opened, open } = gate();
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

  it('let siblings take turns, in the order of their coming', async () => {
    const lock = bench.lock();
    const order: string[] = [];
    const branch = (name: string): Promise<void> =>
      lock.run(async () => {
        order.push(`${name} in`);
        await new Promise<void>((resolve) => void bench.clock.setTimer(resolve, 10));
        order.push(`${name} out`);
      });
    const done = lock.run(() => Promise.all([branch('a'), branch('b'), branch('c')]));
    await bench.clock.advance(100);
    await done;
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
    expect(bench.backend.callsOf('claim')).toHaveLength(1);
  });

  it('let siblings nest deeper while others wait', async () => {
    const lock = bench.lock();
    const inside: number[] = [];
    let open = 0;
    const deep = (levels: number): Promise<void> =>
      lock.run(async () => {
        open += 1;
        inside.push(open);
        await bench.clock.settle();
        if (levels > 1) await deep(levels - 1);
        open -= 1;
      });
    await lock.run(() => Promise.all([deep(3), deep(3)]));
    expect(inside).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it('send queued children of a closed frame to the ordinary queue', async () => {
    const lock = bench.lock();
    const { opened, open } = gate();
    const order: string[] = [];
    const waiting: Promise<unknown>[] = [];
    await lock.run(() => {
      waiting.push(lock.run(() => opened.then(() => order.push('first child'))));
      waiting.push(lock.run(() => order.push('second child, on its own')));
    });
    const stranger = lock.run(() => order.push('stranger'));
    await bench.clock.settle();
    expect(order).toEqual([]);
    open();
    await Promise.all([...waiting, stranger]);
    expect(order[0]).toBe('first child');
    expect(order).toHaveLength(3);
    expect(await bench.grants()).toEqual([]);
  });

  it('bound the wait of a sibling by waitMs, signal and maxWaiters', async () => {
    const lock = bench.lock({ maxWaiters: 2 });
    const { opened, open } = gate();
    const controller = new AbortController();
    const { signal } = controller;
    const siblings = lock.run(() => {
      const busy = track(lock.run(() => opened));
      const impatient = track(lock.run(() => undefined, { waitMs: 100 }));
      const aborted = track(lock.run(() => undefined, { signal }));
      const oneTooMany = track(lock.run(() => undefined));
      const hasty = track(lock.run(() => undefined, { waitMs: 0 }));
      return [busy, impatient, aborted, oneTooMany, hasty] as const;
    });
    await bench.clock.advance(0);
    controller.abort();
    await bench.clock.advance(110);
    const [busy, impatient, aborted, oneTooMany, hasty] = await siblings;
    expect(busy.state).toBe('pending');
    expect(
      [impatient, aborted, oneTooMany, hasty].map(({ error }) => (error as { code: string }).code),
    ).toEqual(['LOCK_WAIT_TIMEOUT', 'LOCK_ABORTED', 'QUEUE_FULL', 'LOCK_BUSY']);
    open();
    await bench.clock.settle();
    expect(busy.state).toBe('fulfilled');
  });

  it('let siblings on different locks never wait for each other', async () => {
    const [a, b] = [bench.lock().for('a'), bench.lock().for('b')];
    const { opened, open } = gate();
    await bench.lock().run(async () => {
      const first = track(a.run(() => opened));
      const second = track(b.run(() => bench.lock().run(() => 'and back into the outer one')));
      await bench.clock.settle();
      expect([first.state, second.state]).toEqual(['pending', 'fulfilled']);
      open();
      await first.settled;
    });
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
    expect(await lock.run(() => 'one after the other is fine')).toBeDefined();
  });

  it('belong to their chain alone: another one waits', async () => {
    const lock = bench.lock();
    const { opened, open } = gate();
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

  it('let what a branch starts after its frame has closed wait like anybody', async () => {
    const lock = bench.lock();
    const { opened, open } = gate();
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

  it('give a sibling that waited over the loss of the lease an error, not the lock', async () => {
    const lock = bench.lock();
    let ran = false;
    const outer = track(
      lock.run(
        async () => {
          const first = lock.run(
            () => new Promise<void>((resolve) => void bench.clock.setTimer(resolve, 4_000)),
          );
          const second = lock.run(() => (ran = true));
          await expect(first).rejects.toMatchObject({ code: 'LOCK_LOST' });
          await expect(second).rejects.toMatchObject({ code: 'LOCK_LOST' });
        },
        { renew: false },
      ),
    );
    await bench.clock.advance(4_000);
    expect(outer.error).toMatchObject({ code: 'LOCK_LOST' });
    expect(ran).toBe(false);
  });

  it('do not let work begin with a lease that was lost between the grant and the body', async () => {
    let ran = false;
    bench.bedrock.on('lease.granted', () => bench.clock.block(4_000));
    await expect(bench.lock().run(() => (ran = true))).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(ran).toBe(false);
  });
});
