import { Bench, deferred, track } from '../bench.js';

describe('siblings in one hold', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('take turns, in the order of their coming', async () => {
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

  it('nest deeper while others wait', async () => {
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

  it('go to the ordinary queue when the frame that they waited in closes', async () => {
    const lock = bench.lock();
    const { opened, open } = deferred();
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

  it('wait within waitMs, signal and maxWaiters', async () => {
    const lock = bench.lock({ maxWaiters: 2 });
    const { opened, open } = deferred();
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

  it('on different locks never wait for each other', async () => {
    const [a, b] = [bench.lock().for('a'), bench.lock().for('b')];
    const { opened, open } = deferred();
    await bench.lock().run(async () => {
      const first = track(a.run(() => opened));
      const second = track(b.run(() => bench.lock().run(() => 'and back into the outer one')));
      await bench.clock.settle();
      expect([first.state, second.state]).toEqual(['pending', 'fulfilled']);
      open();
      await first.settled;
    });
  });

  it('that waited over the loss of the lease get an error, not the lock', async () => {
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
});
