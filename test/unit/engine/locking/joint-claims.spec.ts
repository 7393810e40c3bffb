import { multiLock, type CallOptions, type MultiLease, type MultiLock } from 'bedrock-lock';
import { Bench, OPERATION_MS, track } from '../bench.js';

let bench: Bench;
beforeEach(() => (bench = new Bench()));
afterEach(() => bench.close());

function multi(keys: string): MultiLock {
  return multiLock([...keys].map((key) => bench.lock().for(key)));
}

function acquire(keys: string, options?: CallOptions) {
  return track<MultiLease>(multi(keys).acquire(options));
}

async function granted(keys = 'abc'): Promise<string[]> {
  const all = await Promise.all([...keys].map((key) => bench.grants(`r:${key}`)));
  return all.flat();
}

function isIdle(): void {
  expect(bench.bedrock.stats()).toMatchObject({ resources: 0, holds: 0, waiters: 0, pendingWithdrawals: 0 });
}

describe('one question for several locks', () => {
  it('asks without standing in line, and for no grant without a question', async () => {
    await multi('ab').acquire();
    const [claims] = bench.backend.callsOf('claimAll').map(({ input }) => input);
    expect(claims).toMatchObject([
      { resource: 'r:a', queue: false, mayPush: false },
      { resource: 'r:b', queue: false, mayPush: false },
    ]);
  });

  it('leaves nothing behind when it is refused, and then waits for each in turn', async () => {
    const held = await bench.rival.for('b').acquire();
    bench.backend.plan('claim', { kind: 'hang' }, Infinity);
    const caller = acquire('abc');
    await bench.clock.settle();
    expect(await granted('ac')).toEqual([]);
    expect(bench.bedrock.stats()).toMatchObject({ resources: 1, waiters: 1 });
    bench.backend.heal();
    await held.release();
    await bench.clock.advance(2 * OPERATION_MS);
    expect(caller.value?.isHeld).toBe(true);
  });

  it('is asked once more for those that are left when the one in the way was had', async () => {
    const held = await bench.rival.for('a').acquire();
    const caller = acquire('abc');
    await bench.clock.advance(10);
    await held.release();
    await bench.clock.advance(10);
    expect(caller.value?.isHeld).toBe(true);
    const questions = bench.backend.callsOf('claimAll').map(({ input }) => input.length);
    expect(questions).toEqual([3, 2]);
  });

  it('is not asked while a caller of this process uses one of them: callers keep their order', async () => {
    const mine = await bench.lock().for('a').acquire();
    const served: string[] = [];
    const first = bench.lock().for('a').run(() => served.push('first')); // prettier-ignore
    const second = multi('ab').run(() => served.push('second'));
    const third = bench.lock().for('a').run(() => served.push('third')); // prettier-ignore
    await bench.clock.settle();
    expect(bench.backend.callsOf('claimAll')).toEqual([]);
    await mine.release();
    await bench.clock.advance(10);
    await Promise.all([first, second, third]);
    expect(served).toEqual(['first', 'second', 'third']);
  });

  it('is not asked for locks that are served in order of arrival', async () => {
    const fair = [bench.bedrock.fairMutex('f1'), bench.bedrock.fairMutex('f2')];
    await multiLock(fair).run(() => undefined);
    expect(bench.backend.callsOf('claimAll')).toEqual([]);
  });

  it('serves callers that came meanwhile afterwards', async () => {
    bench.backend.plan('claimAll', { kind: 'delay', replyMs: 50 });
    const served: string[] = [];
    const both = multi('ab').run(() => served.push('both'));
    const later = ['a', 'b'].map((key) => bench.lock().for(key).run(() => served.push(key))); // prettier-ignore
    await bench.clock.advance(40);
    expect(bench.backend.callsOf('claim')).toEqual([]);
    await bench.clock.advance(20);
    await Promise.all([both, ...later]);
    expect(served[0]).toBe('both');
    expect(served.slice(1).sort()).toEqual(['a', 'b']);
    isIdle();
  });

  it('answers a try that came meanwhile by its own outcome', async () => {
    bench.backend.plan('claimAll', { kind: 'delay', replyMs: 50 });
    const both = acquire('ab');
    const tries = ['a', 'b'].map((key) => bench.lock().for(key).tryAcquire());
    await bench.clock.advance(50);
    expect(await Promise.all(tries)).toEqual([null, null]);
    await both.value!.release();

    const held = await bench.rival.for('b').acquire();
    bench.backend.plan('claimAll', { kind: 'delay', replyMs: 50 });
    const again = acquire('abc');
    const attempt = track(bench.lock().for('c').tryAcquire());
    await bench.clock.advance(60);
    expect(attempt.value?.isHeld).toBe(true);
    await attempt.value!.release();
    await held.release();
    await bench.clock.advance(60);
    expect(again.value?.isHeld).toBe(true);
  });

  it('tells of each lease as it tells of any', async () => {
    const events = (['claim.sent', 'lease.granted', 'lease.released'] as const).map((name) =>
      bench.told(name),
    );
    await multi('ab').run(() => undefined);
    const resources = events.map((payloads) => payloads.map(({ resource }) => resource));
    expect(resources).toEqual([
      ['r:a', 'r:b'],
      ['r:a', 'r:b'],
      ['r:b', 'r:a'],
    ]);
    expect(events[1]).toMatchObject([{ tries: 1, handedOver: false }, { tries: 1, handedOver: false }]); // prettier-ignore
  });

  it('tells of one wait, that of its caller', async () => {
    const [started, ended] = [bench.told('wait.started'), bench.told('wait.ended')];
    await multi('abc').run(() => undefined);
    expect(started.map(({ resource }) => resource)).toEqual(['r:a']);
    expect(ended).toMatchObject([{ resource: 'r:a', end: 'granted' }]);
  });

  it('renews each lease that it got', async () => {
    const lease = await multi('ab').acquire();
    await bench.clock.advance(20_000);
    expect(lease.isHeld).toBe(true);
  });
});

describe('one question for several locks, without an answer', () => {
  it('is withdrawn for every lock, and each is asked for by itself under another id', async () => {
    bench.backend.plan('claimAll', { kind: 'loseReply' });
    const caller = acquire('abc');
    await bench.clock.advance(100);
    expect(caller.value?.isHeld).toBe(true);
    const lost = bench.backend.callsOf('claimAll').flatMap(({ input }) => input.map(({ id }) => id));
    const withdrawn = bench.backend.callsOf('withdraw').map(({ input }) => input.ref.id);
    expect(withdrawn).toEqual(expect.arrayContaining(lost.slice(0, 3)) as string[]);
    const grants = await granted();
    expect(grants).toHaveLength(3);
    expect(grants.filter((id) => lost.slice(0, 3).includes(id))).toEqual([]);
    await caller.value!.release();
    await bench.clock.advance(2 * OPERATION_MS);
    expect(await granted()).toEqual([]);
    isIdle();
  });

  it('keeps its caller no longer than its waitMs, and leaves nothing', async () => {
    bench.backend.plan('claimAll', { kind: 'delay', replyMs: 400 });
    const caller = acquire('abc', { waitMs: 100 });
    await bench.clock.advance(100);
    expect(caller.error).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT', resource: 'r:a' });
    expect(await granted()).toHaveLength(3);
    await bench.clock.advance(300);
    expect(await granted()).toEqual([]);
    isIdle();
  });

  it('does not keep a caller that aborts, and leaves nothing', async () => {
    bench.backend.plan('claimAll', { kind: 'delay', replyMs: 400 });
    const controller = new AbortController();
    const caller = acquire('abc', { signal: controller.signal });
    await bench.clock.advance(10);
    controller.abort();
    await caller.settled;
    await bench.clock.advance(390);
    expect(await granted()).toEqual([]);
    isIdle();
  });

  it('is withdrawn again after the last instant at which it may arrive', async () => {
    bench.backend.plan('claimAll', { kind: 'delay', requestMs: 500, giveUpMs: 1 });
    const caller = acquire('ab', { waitMs: 20 });
    bench.backend.plan('claim', { kind: 'refuse' }, Infinity);
    await bench.clock.advance(300);
    expect(caller.state).toBe('rejected');
    await bench.clock.advance(200);
    expect(await granted('ab')).toHaveLength(2);
    await bench.clock.advance(OPERATION_MS);
    expect(await granted('ab')).toEqual([]);
  });

  it('says so at once to a caller that does not wait, or that wants to fail fast', async () => {
    for (const options of [{ waitMs: 0 }, { failFast: true }]) {
      bench.backend.plan('claimAll', { kind: 'refuse' });
      await expect(multi('ab').acquire(options)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      expect(bench.backend.callsOf('claim')).toEqual([]);
    }
    isIdle();
  });

  it('is left to each lock when the driver fails for another reason', async () => {
    bench.backend.plan('claimAll', { kind: 'fail', error: new Error('a bug') });
    const caller = acquire('ab');
    await bench.clock.advance(10);
    expect(caller.value?.isHeld).toBe(true);
  });

  it('is reported like any failure of the backend', async () => {
    const told = bench.told('backend.unavailable');
    bench.backend.plan('claimAll', { kind: 'refuse' });
    acquire('ab');
    await bench.clock.advance(10);
    expect(told).toMatchObject([{ resource: 'r:a', error: { code: 'BACKEND_UNAVAILABLE' } }]);
  });
});

describe('one question for several locks, answered late', () => {
  it('is no grant when most of the lease is over: all are given back and asked for anew', async () => {
    bench.backend.plan('claimAll', { kind: 'delay', replyMs: 250 });
    const caller = acquire('ab', { leaseMs: 300 });
    await bench.clock.advance(260);
    expect(caller.value?.isHeld).toBe(true);
    expect(caller.value?.remainingMs).toBeGreaterThan(280);
    expect(bench.backend.callsOf('claim').length + bench.backend.callsOf('claimAll').length).toBe(3);
  });

  it('is withdrawn when the Bedrock closes meanwhile, which waits for it', async () => {
    bench.backend.plan('claimAll', { kind: 'delay', replyMs: 300 });
    const caller = acquire('abc');
    await bench.clock.settle();
    const closed = track(bench.bedrock.close({ graceMs: 0 }));
    await bench.clock.advance(10);
    expect(caller.error).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(closed.state).toBe('pending');
    await bench.clock.advance(300);
    expect(closed.state).toBe('fulfilled');
    expect(await granted()).toEqual([]);
  });

  it('is refused to no other caller: one that came meanwhile has its turn when the first one has gone', async () => {
    bench.backend.plan('claimAll', { kind: 'delay', replyMs: 100 });
    const controller = new AbortController();
    const first = acquire('ab', { signal: controller.signal });
    const later = track(bench.lock().for('b').acquire());
    await bench.clock.advance(10);
    controller.abort();
    await bench.clock.advance(100);
    expect([first.state, later.value?.isHeld]).toEqual(['rejected', true]);
    expect(await granted('ab')).toHaveLength(1);
  });
});
