import { jest } from '@jest/globals';
import { channel } from 'node:diagnostics_channel';
import { Bench, LOCK_EVENTS } from '../bench.js';

describe('the delivery of events', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('are published on diagnostics_channel too', async () => {
    const heard: unknown[] = [];
    const listen = (message: unknown): void => void heard.push(message);
    channel('bedrock:lease.granted').subscribe(listen);
    const lease = await bench.lock().acquire();
    channel('bedrock:lease.granted').unsubscribe(listen);
    await lease.release();
    await (await bench.lock().acquire()).release();
    expect(heard).toMatchObject([{ resource: 'r', leaseId: lease.id }]);
  });

  it('stop after the unsubscription, and arrive twice at a listener that subscribed twice', async () => {
    let count = 0;
    const listen = (): void => void (count += 1);
    const [stop, stopAgain] = [
      bench.bedrock.on('lease.granted', listen),
      bench.bedrock.on('lease.granted', listen),
    ];
    await bench.lock().run(() => undefined);
    stop();
    await bench.lock().run(() => undefined);
    stopAgain();
    await bench.lock().run(() => undefined);
    expect(count).toBe(3);
  });

  it('disturb nothing when a listener throws or rejects', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    for (const name of LOCK_EVENTS) {
      bench.bedrock.on(name, () => {
        throw new Error('of a listener');
      });
      bench.bedrock.on(name, (): unknown => Promise.reject(new Error('of an async listener')));
    }
    const heard = bench.told('lease.released');
    const results = await Promise.all([1, 2, 3].map((i) => bench.lock().run(() => i)));
    await new Promise((resolve) => setImmediate(resolve));
    const warnings = warned.mock.calls.map(([message]) => message);
    warned.mockRestore();
    expect(results).toEqual([1, 2, 3]);
    expect(heard).toHaveLength(3);
    expect(bench.bedrock.stats()).toMatchObject({ resources: 0, waiters: 0, holds: 0 });
    expect(warnings).toContain('a lock event listener failed: of a listener');
    expect(warnings).toContain('a lock event listener failed: of an async listener');
  });

  it('reach all listeners in one order: what a listener causes comes after its event', async () => {
    const controller = new AbortController();
    bench.bedrock.on('wait.started', () => controller.abort());
    const told: string[] = [];
    for (const name of ['wait.started', 'wait.ended'] as const) bench.bedrock.on(name, () => told.push(name));
    await bench.rival.acquire();
    const caller = bench.lock().acquire({ signal: controller.signal });
    await expect(caller).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    expect(told).toEqual(['wait.started', 'wait.ended']);
  });

  it('are delivered again after a stack overflow in the middle of one', async () => {
    const told = bench.told('wait.started');
    const stop = bench.bedrock.on('wait.started', () => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    await expect((async () => bench.lock().acquire())()).rejects.toThrow(RangeError);
    warn.mockRestore();
    stop();
    const before = told.length;
    void bench
      .lock()
      .acquire()
      .catch(() => undefined);
    expect(told.length).toBe(before + 1);
  });

  it('end, with a warning, where each causes the next', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const callers: Promise<unknown>[] = [];
    bench.bedrock.on('wait.started', () => {
      if (callers.length < 50_000)
        callers.push(
          bench
            .lock()
            .acquire({ waitMs: 0 })
            .catch(() => undefined),
        );
    });
    const lease = await bench.lock().acquire();
    const warnings = warned.mock.calls.map(([message]) => message);
    warned.mockRestore();
    await lease.release();
    await Promise.all(callers);
    expect(callers.length).toBeLessThan(20_000);
    expect(warnings).toContain(
      'a lock event listener failed: "wait.started" causes itself; it was not delivered again',
    );
  });

  it('may be answered by locking, releasing and closing', async () => {
    const lock = bench.lock();
    const nested: Promise<unknown>[] = [];
    bench.bedrock.on('lease.granted', ({ resource }) => {
      if (resource === 'r') nested.push(lock.for('audit').run(() => undefined));
    });
    bench.bedrock.on('lease.released', ({ resource }) => {
      if (resource === 'r' && nested.length === 3) nested.push(bench.bedrock.close());
    });
    const results = Promise.allSettled([1, 2, 3, 4].map((i) => lock.run(() => i)));
    await bench.clock.advance(5_000);
    await Promise.allSettled(nested);
    const states = (await results).map(({ status }) => status);
    expect(states.slice(0, 3)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(await bench.grants()).toEqual([]);
  });
});
