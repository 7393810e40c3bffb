import { LockTypeMismatchError } from 'bedrock-lock';
import { Bench, track, type Tracked } from '../bench.js';

describe('an unavailable backend', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  it('is asked again after 50 to 1000 ms until the deadline, and then named with its cause', async () => {
    const cause = new Error('ECONNREFUSED');
    bench.backend.plan('claim', { kind: 'fail', error: cause }, Infinity);
    const caller = track(bench.lock().acquire({ waitMs: 5_000 }));
    await bench.clock.advance(4_999);
    expect(caller.state).toBe('pending');
    await bench.clock.advance(1);
    expect(caller.error).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      resource: 'r',
      backend: 'memory',
      cause,
    });
    const times = bench.backend.callsOf('claim').map(({ at }) => at);
    const pauses = times.slice(1).map((at, i) => at - times[i]!);
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1_000, 1_000, 1_000]);
  });

  it('fails at once for callers that ask for that', async () => {
    bench.backend.plan('claim', { kind: 'refuse' }, Infinity);
    await expect(bench.lock().acquire({ failFast: true })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
    const patient = track(bench.lock().acquire());
    const hasty = track(bench.lock().acquire({ failFast: true }));
    await bench.clock.advance(50);
    expect([patient.state, hasty.state]).toEqual(['pending', 'rejected']);
    await expect(bench.lock().acquire({ failFast: true })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
    expect(bench.bedrock.stats().waiters).toBe(1);
  });

  it('fails at once for callers that do not wait', async () => {
    bench.backend.plan('claim', { kind: 'refuse' }, 2);
    await expect(bench.lock().acquire({ waitMs: 0 })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await expect(bench.lock().tryAcquire()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(bench.bedrock.stats().resources).toBe(0);
  });

  it('serves in the order of arrival when it is back', async () => {
    bench.backend.plan('claim', { kind: 'refuse' }, 3);
    const order: number[] = [];
    const callers = [1, 2, 3].map((i) => bench.lock().run(() => void order.push(i)));
    await bench.clock.advance(1_000);
    await Promise.all(callers);
    expect(order).toEqual([1, 2, 3]);
  });

  it('is not blamed for a lock that is merely busy', async () => {
    const held = await bench.rival.acquire();
    bench.backend.plan('claim', { kind: 'refuse' }, 3);
    const caller = track(bench.lock().acquire({ waitMs: 1_000 }));
    await bench.clock.advance(1_000);
    expect(caller.error).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT', holder: { id: held.hold.id } });
  });

  it('settles every call by its deadline, even when it never answers', async () => {
    bench.backend.plan('claim', { kind: 'hang' }, Infinity);
    const callers = [100, 700, 2_500].map((waitMs) => track(bench.lock().acquire({ waitMs })));
    const states = (): string[] => callers.map(({ state }) => state);
    await bench.clock.advance(99);
    expect(states()).toEqual(['pending', 'pending', 'pending']);
    await bench.clock.advance(6);
    expect(states()).toEqual(['rejected', 'pending', 'pending']);
    await bench.clock.advance(600);
    expect(states()).toEqual(['rejected', 'rejected', 'pending']);
    await bench.clock.advance(1_800);
    expect(states()).toEqual(['rejected', 'rejected', 'rejected']);
    expect(callers[2]!.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
  });

  it('refuses a caller that comes while others are rejected by its own request, not with theirs', async () => {
    const sent = bench.told('claim.sent');
    bench.backend.plan('claim', { kind: 'fail', error: new LockTypeMismatchError('r', 'a semaphore') }, 5);
    const late: Tracked<unknown>[] = [];
    bench.bedrock.on('wait.ended', () => {
      if (late.length < 1) late.push(track(bench.lock().acquire()));
    });
    const first = track(bench.lock().acquire());
    await bench.clock.advance(10);
    expect([first.error, late[0]!.error]).toMatchObject([
      { code: 'LOCK_TYPE_MISMATCH' },
      { code: 'LOCK_TYPE_MISMATCH' },
    ]);
    expect(sent).toHaveLength(2);
  });

  it('that finds another type of lock refuses every caller at once: waiting would not help', async () => {
    const error = new LockTypeMismatchError('r', 'a semaphore');
    bench.backend.plan('claim', { kind: 'fail', error });
    const callers = [track(bench.lock().acquire()), track(bench.lock().acquire())];
    await bench.clock.settle();
    expect(callers.map((caller) => caller.error)).toEqual([error, error]);
    expect(bench.bedrock.stats()).toMatchObject({ resources: 0, waiters: 0 });
  });

  it('is reported by an event, with the error and the next try', async () => {
    const told = bench.told('backend.unavailable');
    bench.backend.plan('claim', { kind: 'refuse' }, 2);
    track(bench.lock().acquire());
    await bench.clock.advance(200);
    expect(told.map(({ resource, retryInMs }) => [resource, retryInMs])).toEqual([
      ['r', 50],
      ['r', 100],
    ]);
    expect(told[0]?.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('answers an operator with the same error', async () => {
    bench.backend
      .plan('inspect', { kind: 'refuse' })
      .plan('revoke', { kind: 'fail', error: new Error('broken') }, 2);
    await expect(bench.lock().inspect()).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      resource: 'r',
    });
    await expect(bench.lock().revoke()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await expect(bench.lock().forceRelease()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });
});
