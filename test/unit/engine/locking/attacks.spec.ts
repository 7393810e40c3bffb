import { Bedrock, InvalidOptionError, runInFlow, type Lease } from 'bedrock-lock';
import { sleep } from 'bedrock-lock/integration';
import { memory } from 'bedrock-lock/memory';
import { ManualClock, ExclusionChecker } from 'bedrock-testkit';
import { Bench, OPERATION_MS, track } from '../bench.js';

/** What an attack on the engine once found; each was a defect. */
describe('the engine under attack', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('refuses a second Bedrock on one backend, whose claims would have the same ids', async () => {
    const backend = memory();
    const first = new Bedrock({ backend });
    expect(() => new Bedrock({ backend })).toThrow(InvalidOptionError);
    await first.close();
  });

  it('keeps a sibling out while a child of its closed predecessor is open', async () => {
    const lock = bench.lock();
    const checker = new ExclusionChecker();
    let detached: Promise<void> | undefined;
    const leaf = (): Promise<void> => lock.run(() => checker.run(() => sleep(bench.clock, 20)));
    const all = lock.run(async () => {
      const parent = lock.run(async () => {
        detached = leaf();
        await sleep(bench.clock, 1);
      });
      const sibling = leaf();
      await Promise.all([parent, sibling]);
    });
    await bench.clock.advance(200);
    await Promise.all([all, detached]);
    expect(checker.assertExclusion().leases).toBe(2);
  });

  it('does not take the abort listener of one caller for a nested call of another', async () => {
    const lock = bench.lock();
    let wasNested: boolean | undefined;
    const other = await bench.bedrock.mutex('other').acquire({ maxHoldMs: 10 });
    other.signal.addEventListener('abort', () => (wasNested = lock.depth > 0));
    const held = lock.run(() => sleep(bench.clock, 50));
    await bench.clock.advance(100);
    await held;
    expect(wasNested).toBe(false);
  });

  it('runs event listeners outside of the call chain that caused the event', async () => {
    const lock = bench.lock();
    const depths: number[] = [];
    bench.bedrock.on('lease.released', () => depths.push(lock.depth));
    await lock.run(() => bench.bedrock.mutex('inner').run(() => undefined));
    expect(depths).toEqual([0, 0]);
  });

  it('does not lock for a flow that has ended', async () => {
    const held = await bench.rival.acquire();
    let waiting: Promise<void> | undefined;
    await runInFlow(() => void (waiting = bench.lock().lock()));
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    await held.release();
    await bench.clock.advance(10);
    expect(await bench.grants()).toEqual([]);
  });

  it('loses every lease at close, also when the listener of one releases another', async () => {
    const leases = await Promise.all(['a', 'b', 'c'].map((name) => bench.bedrock.mutex(name).acquire()));
    const [first, second] = leases as [Lease, Lease, Lease];
    first.signal.addEventListener('abort', () => void second.release());
    const closing = bench.bedrock.close({ graceMs: 0 });
    await bench.clock.advance(OPERATION_MS);
    await closing;
    expect(leases.map(({ isHeld }) => isHeld)).toEqual([false, false, false]);
    for (const name of ['a', 'b', 'c']) expect(await bench.grants(name)).toEqual([]);
  });

  it('does not renew in a storm after an extension beyond the lease', async () => {
    const lease = await bench.lock({ leaseMs: 300 }).acquire();
    await lease.extend(10_000);
    const before = bench.backend.calls.length;
    await bench.clock.advance(2_000);
    expect(bench.backend.calls.length - before).toBeLessThanOrEqual(2);
    await lease.release();
  });

  it.each(['tryAcquire', 'failFast'])(
    'settles %s on a server that takes every request for stale',
    async (kind) => {
      bench.backend.plan('claim', { kind: 'answer', answer: { kind: 'stale' } }, Infinity);
      const lock = bench.lock();
      const caller = track<unknown>(
        kind === 'tryAcquire' ? lock.tryAcquire() : lock.acquire({ failFast: true, waitMs: Infinity }),
      );
      await bench.clock.advance(500);
      expect(caller.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    },
  );

  it('settles a try when every round trip takes most of the lease, and says so', async () => {
    bench.backend.plan('claim', { kind: 'delay', replyMs: 250 }, Infinity);
    const caller = track(bench.lock({ leaseMs: 300 }).tryAcquire());
    await bench.clock.advance(2_000);
    expect(caller.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(String((caller.error as Error).message)).toContain('raise leaseMs');
  });

  it('settles a release within the time-out of one operation', async () => {
    const lease = await bench.lock().acquire();
    bench.backend.plan('withdraw', { kind: 'refuse' }, 3).plan('withdraw', { kind: 'hang' }, Infinity);
    const release = track(lease.release());
    await bench.clock.advance(OPERATION_MS);
    expect(release).toMatchObject({ state: 'fulfilled', value: 'unconfirmed' });
  });

  it('gives a sibling one wait, not another one when its parent closes', async () => {
    const lock = bench.lock();
    let sibling: ReturnType<typeof track<void>> | undefined;
    let detached: Promise<void> | undefined;
    const parent = lock.run(async () => {
      detached = lock.run(() => sleep(bench.clock, 5_000), { maxHoldMs: 60_000 });
      sibling = track(lock.run(() => undefined, { waitMs: 1_000 }));
      await sleep(bench.clock, 900);
    });
    await bench.clock.advance(1_010);
    expect(sibling?.state).toBe('rejected');
    await bench.clock.advance(5_000);
    await Promise.all([parent, detached]);
  });

  it('is busy at once for a sibling that does not wait', async () => {
    const lock = bench.lock();
    await lock.run(async () => {
      const first = lock.run(() => sleep(bench.clock, 10));
      await expect(lock.run(() => undefined, { waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
      await bench.clock.advance(20);
      await first;
    });
  });

  it('asks for no more than the longest lease, in whole ms', async () => {
    const lock = bench.lock({ leaseMs: 300_000, renew: false });
    const callers = [1, 2, 3].map(() => track(lock.run(() => undefined)));
    await bench.clock.advance(10);
    expect(callers.every(({ state }) => state === 'fulfilled')).toBe(true);
    const asked = bench.backend.callsOf('claim').map(({ input }) => input.leaseMs);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set([300_000]));
  });

  it('keeps the deadlines of the others when a listener aborts the next waiter', async () => {
    await bench.rival.acquire();
    const lock = bench.lock();
    const next = new AbortController();
    bench.bedrock.on('wait.ended', () => next.abort());
    const callers = [
      track(lock.acquire({ waitMs: 100 })),
      track(lock.acquire({ waitMs: 300, signal: next.signal })),
      track(lock.acquire({ waitMs: 200 })),
    ];
    await bench.clock.advance(250);
    expect(callers.map(({ state }) => state)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('answers a try by a question of its own', async () => {
    const held = await bench.rival.acquire();
    const { signal, abort } = abortable();
    bench.backend.plan('claim', { kind: 'delay', replyMs: 100 });
    const older = track(bench.lock().acquire({ signal }));
    await bench.clock.advance(10);
    abort();
    await held.release();
    const attempt = track(bench.lock().tryAcquire());
    await bench.clock.advance(200);
    expect(older.state).toBe('rejected');
    expect(attempt.value).not.toBeNull();
    expect(attempt.state).toBe('fulfilled');
  });

  it('rejects a fail-fast caller at once, also behind a patient one', async () => {
    bench.backend.plan('claim', { kind: 'refuse' }, Infinity);
    const lock = bench.lock();
    const patient = track(lock.acquire({ waitMs: 3_000 }));
    await bench.clock.advance(5);
    await expect(lock.acquire({ failFast: true })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(patient.state).toBe('pending');
  });

  it('does not begin the work on a lease that a listener has ended', async () => {
    let hasRun = false;
    bench.bedrock.on('lease.granted', () => void bench.bedrock.close({ graceMs: 0 }));
    const caller = track(bench.lock().run(() => void (hasRun = true)));
    await bench.clock.advance(10);
    expect(caller.error).toMatchObject({ code: 'LOCK_LOST' });
    expect(hasRun).toBe(false);
  });

  it('hands over no more often than quantumGrants says, also without tokens', async () => {
    const frugal = new Bench({ handOver: { quantumGrants: 1 } });
    const lock = frugal.lock({ fencing: false });
    const callers = Array.from({ length: 10 }, () => track(lock.run(() => undefined)));
    await frugal.clock.advance(10);
    expect(callers.every(({ state }) => state === 'fulfilled')).toBe(true);
    expect(frugal.bedrock.stats().handOvers).toBe(0);
    await frugal.close();
  });

  it('says that a lease was lost when the inner unlock() comes too late', async () => {
    const lock = bench.lock({ renew: false, leaseMs: 100 });
    const flow = runInFlow(async () => {
      await lock.lock();
      await lock.lock();
      await sleep(bench.clock, 200);
      await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST' });
      await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    });
    await bench.clock.advance(300);
    await flow;
  });

  it('never hands over in a quantum of 0, whatever fraction of a ms the clock shows', async () => {
    const clock = new ManualClock({ now: 1_000.25 });
    const bedrock = new Bedrock({ backend: memory({ clock }), clock, handOver: { quantumMs: 0 } });
    const lock = bedrock.mutex('r');
    const [first, second] = [lock.acquire(), lock.acquire()];
    await (await first).release();
    await clock.advance(1);
    await (await second).release();
    expect(bedrock.stats()).toMatchObject({ grants: 2, handOvers: 0 });
    await bedrock.close();
  });
});

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
