import { jest } from '@jest/globals';
import { channel } from 'node:diagnostics_channel';
import { Bedrock, type LockEventName } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { Bench, track } from '../bench.js';

const ALL: readonly LockEventName[] = [
  'wait.started', 'wait.ended', 'claim.sent', 'lease.granted', 'lease.handedOver', 'lease.renewed',
  'lease.revoked', 'lease.lost', 'lease.released', 'queue.full', 'flow.leaked', 'backend.unavailable', 'loop.stalled',
]; // prettier-ignore

describe('events', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('tell what happens to a caller, in order', async () => {
    const told: string[] = [];
    for (const name of ALL) bench.bedrock.on(name, () => told.push(name));
    const lease = await bench.lock().acquire();
    await bench.clock.advance(1_000);
    await lease.release();
    expect(told).toEqual([
      'wait.started',
      'claim.sent',
      'wait.ended',
      'lease.granted',
      'lease.renewed',
      'lease.released',
    ]);
  });

  it('carry their facts', async () => {
    const granted = bench.told('lease.granted');
    const released = bench.told('lease.released');
    const asked = bench.told('claim.sent');
    const handedOver = bench.told('lease.handedOver');
    const held = await bench.rival.acquire();
    const callers = [bench.lock().acquire(), bench.lock().acquire()];
    await bench.clock.advance(100);
    await held.release();
    const first = await callers[0]!;
    await bench.clock.advance(5);
    await first.release();
    const second = await callers[1]!;
    expect(granted).toMatchObject([
      { resource: 'r', leaseId: first.id, token: first.token, waitedMs: 100, tries: 3, handedOver: false },
      { resource: 'r', leaseId: second.id, token: second.token, waitedMs: 105, tries: 0, handedOver: true },
    ]);
    expect(handedOver).toMatchObject([{ resource: 'r', leaseId: second.id, waitedMs: 105 }]);
    expect(released).toMatchObject([{ resource: 'r', leaseId: first.id, heldMs: 5, outcome: 'released' }]);
    expect(asked.map(({ tries }) => tries)).toEqual([1, 2, 3]);
  });

  it('say which lock, of which kind and on which backend; never the key', async () => {
    const bedrock = new Bedrock({ backend: memory(), prefix: 'app:' });
    const told: object[] = [];
    bedrock.on('lease.granted', ({ resource, lock, kind, backend }) =>
      told.push([resource, lock, kind, backend]),
    );
    bedrock.on('idempotency.begun', ({ resource, lock, kind, backend }) =>
      told.push([resource, lock, kind, backend]),
    );
    await bedrock
      .mutex('stock')
      .for('p:1', 2)
      .run(() => undefined);
    await bedrock.mutex('stock:p').run(() => undefined);
    await bedrock
      .readWriteLock('shelf')
      .for('x')
      .read.run(() => undefined);
    await bedrock.semaphore('pool', { permits: 2 }).run(() => undefined);
    await bedrock.idempotency('payments').run({ key: 'k', operation: 'pay', scope: 's' }, () => 1);
    expect(told).toEqual([
      ['app:stock:p%3A1:2', 'stock', 'mutex', 'memory'],
      ['app:stock:p', 'stock:p', 'mutex', 'memory'],
      ['app:shelf:x', 'shelf', 'readWriteLock', 'memory'],
      ['app:pool', 'pool', 'semaphore', 'memory'],
      ['app:payments:pay:s:k', 'payments', 'idempotency', 'memory'],
    ]);
    await bedrock.close();
  });

  it.each([
    ['timedOut', { waitMs: 50 }],
    ['busy', { waitMs: 0 }],
    ['aborted', {}],
    ['closed', {}],
  ] as const)('tell how a wait ended: %s', async (end, options) => {
    const told = bench.told('wait.ended');
    const controller = new AbortController();
    await bench.rival.acquire();
    const caller = track(bench.lock().acquire({ ...options, signal: controller.signal }));
    await bench.clock.advance(10);
    if (end === 'aborted') controller.abort();
    if (end === 'closed') void bench.bedrock.close();
    await bench.clock.advance(60);
    await caller.settled;
    expect(told).toMatchObject([{ resource: 'r', end }]);
  });

  it('tell of the end of a wait once, at the grant: not at the release or the loss', async () => {
    const [started, ended] = [bench.told('wait.started'), bench.told('wait.ended')];
    const [first, second] = [bench.lock().acquire(), bench.lock().acquire()];
    await (await first).release();
    const lease = await second;
    await bench.clock.advance(10);
    expect(ended).toMatchObject([{ resource: 'r', end: 'granted' }, { resource: 'r', end: 'granted' }]); // prettier-ignore
    const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    await bench.lock().forceRelease();
    await bench.clock.advance(3_000);
    await lost;
    expect([started.length, ended.length]).toEqual([2, 2]);
  });

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
    for (const name of ALL) {
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

  it('are checked: an unknown name or no function is refused', () => {
    const on = bench.bedrock.on.bind(bench.bedrock) as (name: string, listener: unknown) => void;
    expect(() => on('lease.grant', () => undefined)).toThrow(
      expect.objectContaining({ field: 'event' }) as Error,
    );
    expect(() => on('lease.granted', 'log')).toThrow(expect.objectContaining({ field: 'listener' }) as Error);
  });
});
