import { AsyncLocalStorage } from 'node:async_hooks';
import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { Bench, LOCK_EVENTS, track } from '../bench.js';

describe('events', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('tell what happens to a caller, in order', async () => {
    const told: string[] = [];
    for (const name of LOCK_EVENTS) bench.bedrock.on(name, () => told.push(name));
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
    for (const event of ['lease.granted', 'idempotency.begun'] as const)
      bedrock.on(event, ({ resource, lock, kind, backend: on, mode }) =>
        told.push([resource, lock, kind, on, mode]),
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
    await bedrock.readWriteLock('shelf').write.run(() => undefined);
    await bedrock.semaphore('pool', { permits: 2 }).run(() => undefined);
    await bedrock.idempotency('payments').run({ key: 'k', operation: 'pay', scope: 's' }, () => 1);
    expect(told).toEqual([
      ['app:stock:p%3A1:2', 'stock', 'mutex', 'memory', 'exclusive'],
      ['app:stock:p', 'stock:p', 'mutex', 'memory', 'exclusive'],
      ['app:shelf:x', 'shelf', 'readWriteLock', 'memory', 'read'],
      ['app:shelf', 'shelf', 'readWriteLock', 'memory', 'write'],
      ['app:pool', 'pool', 'semaphore', 'memory', 'permits'],
      ['app:payments:pay:s:k', 'payments', 'idempotency', 'memory', ''],
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

  it('say that a caller without a place in the queue has waited, and how it ended', async () => {
    const [started, ended] = [bench.told('wait.started'), bench.told('wait.ended')];
    const held = await bench.lock().acquire();
    await expect(bench.lock().acquire({ waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    expect(started.at(-1)).toMatchObject({ resource: 'r', mode: 'exclusive', waiting: 0 });
    expect(ended.at(-1)).toMatchObject({
      waitId: started.at(-1)!.waitId,
      end: 'busy',
      waitedMs: 0,
      waitMs: 0,
    });
    await held.release();
  });

  it('say so of a caller whose signal has aborted, and of one after the end', async () => {
    const [started, ended] = [bench.told('wait.started'), bench.told('wait.ended')];
    const lock = bench.lock();
    const signal = AbortSignal.abort();
    await expect(lock.acquire({ signal })).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    await bench.bedrock.close();
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    expect(started).toHaveLength(2);
    expect(ended).toMatchObject([{ end: 'aborted', waitedMs: 0 }, { end: 'closed' }]);
  });

  it('say how a lock was to be claimed where a queue is full', async () => {
    const full = bench.told('queue.full');
    const lock = bench.lock({ maxWaiters: 1 });
    const held = await bench.rival.acquire();
    const waiting = track(lock.acquire());
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    expect(full).toMatchObject([{ limit: 'maxWaiters', max: 1, mode: 'exclusive' }]);
    await held.release();
    await bench.clock.advance(1_000);
    await waiting.settled;
  });

  it('number a wait from its start to its grant, and say how long it took of how long', async () => {
    const [started, ended, granted] = [
      bench.told('wait.started'),
      bench.told('wait.ended'),
      bench.told('lease.granted'),
    ];
    const held = await bench.lock().acquire();
    const waiting = bench.lock().acquire({ waitMs: 500 });
    await bench.clock.advance(40);
    await held.release();
    await waiting;
    const { waitId } = started[1]!;
    expect(waitId).not.toBe(started[0]!.waitId);
    expect(ended[1]).toMatchObject({ waitId, end: 'granted', waitedMs: 40, waitMs: 500 });
    expect(granted[1]).toMatchObject({ waitId, waitedMs: 40 });
  });

  it('let a listener look into the asynchronous context of the caller', async () => {
    const store = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    bench.bedrock.on('wait.started', ({ inCaller }) =>
      seen.push(
        store.getStore(),
        inCaller(() => store.getStore()),
      ),
    );
    await store.run('request 1', () => bench.lock().run(() => undefined));
    expect(seen).toEqual([undefined, 'request 1']);
  });

  it('call a wait unavailable that ended while the backend did not answer', async () => {
    const ended = bench.told('wait.ended');
    bench.backend.cutOff();
    const caller = track(bench.lock().acquire({ waitMs: 3_000 }));
    await bench.clock.advance(5_000);
    expect(caller.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(ended).toMatchObject([{ end: 'unavailable', waitMs: 3_000 }]);
  });

  it('tell of every request: its verb, its duration and its end', async () => {
    const requests = bench.told('backend.request');
    const about = {
      resource: 'r',
      lock: 'r',
      kind: 'mutex',
      backend: 'memory',
      mode: 'exclusive',
      resources: 1,
    };
    const lease = await bench.lock().acquire();
    await bench.clock.advance(1_000);
    await bench.lock().inspect();
    await lease.release();
    expect(requests).toEqual([
      { ...about, verb: 'claim', durationMs: 0, end: 'answered' },
      { ...about, verb: 'renew', durationMs: 0, end: 'answered' },
      { ...about, mode: '', verb: 'inspect', durationMs: 0, end: 'answered' },
      { ...about, verb: 'release', durationMs: 0, end: 'answered' },
    ]);
  });

  it('tell how much of a lease was left at its renewal, and of a renewal without an answer', async () => {
    const [renewed, failed, requests] = [
      bench.told('lease.renewed'),
      bench.told('lease.renewalFailed'),
      bench.told('backend.request'),
    ];
    const lease = await bench.lock().acquire();
    await bench.clock.advance(1_000);
    expect(renewed).toMatchObject([{ leaseId: lease.id, leaseMs: 3_000, mode: 'exclusive' }]);
    const { marginMs, remainingMs } = renewed[0]!;
    expect(marginMs).toBeLessThanOrEqual(2_000);
    expect(remainingMs).toBeGreaterThan(marginMs);
    bench.backend.cutOff();
    await bench.clock.advance(1_000 + 1_000);
    expect(failed[0]).toMatchObject({ leaseId: lease.id, leaseMs: 3_000, lock: 'r' });
    expect(requests.at(-1)).toMatchObject({ verb: 'renew', end: 'unavailable' });
  });

  it('are checked: an unknown name or no function is refused', () => {
    const on = bench.bedrock.on.bind(bench.bedrock) as (name: string, listener: unknown) => void;
    expect(() => on('lease.grant', () => undefined)).toThrow(
      expect.objectContaining({ field: 'event' }) as Error,
    );
    expect(() => on('lease.granted', 'log')).toThrow(expect.objectContaining({ field: 'listener' }) as Error);
  });
});
