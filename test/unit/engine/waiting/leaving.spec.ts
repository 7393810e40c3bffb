import { getEventListeners } from 'node:events';
import { Bench, track } from '../bench.js';

describe('leaving a queue', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it.each([
    ['granted', 'fulfilled'],
    ['timed out', 'rejected'],
    ['aborted', 'rejected'],
    ['refused', 'rejected'],
  ])('leaves no listener on the signal when %s', async (how, state) => {
    const { signal, abort } = abortable();
    const held = how === 'granted' ? undefined : await bench.rival.acquire();
    const caller = track(bench.lock().acquire({ signal, waitMs: how === 'refused' ? 0 : 500 }));
    if (how === 'timed out') expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    if (how === 'aborted') abort();
    await bench.clock.advance(600);
    expect(caller.state).toBe(state);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await held?.release();
  });

  it('puts one listener on a signal that many callers share', async () => {
    await bench.rival.acquire();
    const { signal, abort } = abortable();
    const callers = Array.from({ length: 50 }, () => track(bench.lock().acquire({ signal })));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    abort();
    await bench.clock.settle();
    expect(callers.every(({ state }) => state === 'rejected')).toBe(true);
    expect(bench.bedrock.stats().waiters).toBe(0);
  });

  it('keeps the order of the remaining callers', async () => {
    const held = await bench.rival.acquire();
    const { signal, abort } = abortable();
    const order: number[] = [];
    const isLeaving = (i: number): boolean => [0, 3, 4, 9].includes(i);
    const callers = Array.from({ length: 10 }, (_, i) =>
      track(bench.lock().run(() => void order.push(i), isLeaving(i) ? { signal } : {})),
    );
    await bench.clock.advance(10);
    abort();
    await held.release();
    await bench.clock.advance(10);
    expect(order).toEqual([1, 2, 5, 6, 7, 8]);
    expect(callers.filter(({ state }) => state === 'rejected')).toHaveLength(4);
  });

  it('serves deadlines of thousands of callers with one timer', async () => {
    await bench.rival.acquire();
    const before = bench.clock.pendingTimers;
    const callers = Array.from({ length: 5_000 }, (_, i) =>
      track(bench.lock().acquire({ waitMs: 100 + (i % 100) })),
    );
    await bench.clock.advance(50);
    expect(bench.clock.pendingTimers - before).toBeLessThanOrEqual(4);
    await bench.clock.advance(155);
    expect(callers.every(({ state }) => state === 'rejected')).toBe(true);
  });

  it('wakes the next process when the head of the line leaves while the lock is free', async () => {
    const held = await bench.rival.acquire();
    const { signal, abort } = abortable();
    track(bench.lock().acquire({ signal }));
    await bench.clock.advance(10);
    const rival = track(bench.rival.acquire());
    await bench.clock.advance(10);
    // The wake for the head is lost, and then the head goes away.
    bench.backend.dropsWakes = true;
    await held.release();
    await bench.clock.advance(5);
    expect(rival.state).toBe('pending');
    abort();
    await bench.clock.settle();
    expect(rival.state).toBe('fulfilled');
  });

  it('counts waiters per process, over all locks', async () => {
    const small = new Bench({ maxWaitersPerProcess: 3 });
    const told = small.told('queue.full');
    await small.rival.acquire();
    await small.rival.for('x').acquire();
    for (let i = 0; i < 2; i += 1) track(small.lock().acquire());
    track(small.lock().for('x').acquire());
    await expect(small.lock().for('y').acquire()).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      limit: 'maxWaitersPerProcess',
      max: 3,
    });
    expect(told).toMatchObject([{ resource: 'r:y', limit: 'maxWaitersPerProcess', max: 3 }]);
    await small.close();
  });
});

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
