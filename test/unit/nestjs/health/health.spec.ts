import { BackendUnavailableError, InvalidOptionError, type Backend } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { liveness, ManualClock } from 'bedrock-testkit';
import { BedrockHealthIndicator } from 'nestjs-bedrock/terminus';
import { altered } from '../locking/altered.js';
import { bedrockOf, closeAll, deferred, start, startError, locksOf, until } from '../app.js';
import { health, healthApp, TIMEOUT_MS } from './health.js';

afterEach(closeAll);

const up = { status: 'up', latencyMs: 0, holding: 0, waiting: 0 };
const never = () => new Promise<never>(() => {});
const unplugged = (error: Error): Backend => altered(memory(), { ping: () => Promise.reject(error) });

describe('GET /health', () => {
  it('is 200 with one entry per backend while all of them answer', async () => {
    const backends = { left: () => memory(), right: () => memory() };
    const { ask } = await healthApp([], { backends });
    const { status, overall, locks } = await ask();
    expect({ status, overall, locks }).toEqual({
      status: 200,
      overall: 'ok',
      locks: { status: 'up', backends: { left: up, right: up } },
    });
  });

  it('tells how many locks this process holds and how many callers wait', async () => {
    const { app, ask } = await healthApp(['a', 'b'], {});
    const bedrock = bedrockOf(app);
    await bedrock.lock('a').acquire();
    await bedrock.lock('b').acquire();
    const wait = new AbortController();
    const waiter = bedrock.lock('a').acquire({ signal: wait.signal });
    await until(() => bedrock.bedrock().stats().waiters === 1);
    expect((await ask()).locks.backends).toEqual({ default: { ...up, holding: 2, waiting: 1 } });
    wait.abort();
    await expect(waiter).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
  });

  it('takes no lock', async () => {
    const claims: string[] = [];
    const real = memory();
    const claim: Backend['leases']['claim'] = (one) => (claims.push(one.resource), real.leases.claim(one));
    const { app, ask } = await healthApp(['a'], { backend: () => altered(real, {}, { claim }) });
    expect((await ask()).status).toBe(200);
    expect(claims).toEqual([]);
    expect(bedrockOf(app).bedrock().stats()).toMatchObject({ grants: 0, resources: 0 });
  });

  it('is 503 when one of several backends is down, and tells which, why and since when', async () => {
    const before = Date.now();
    const broken = () => unplugged(new BackendUnavailableError('memory', 'not connected', 'no'));
    const { ask } = await healthApp([], { backends: { left: () => memory(), right: broken } });
    const { status, overall, locks } = await ask();
    expect({ status, overall, of: locks.status }).toEqual({ status: 503, overall: 'error', of: 'down' });
    expect(locks.backends['left']).toEqual(up);
    const { since, ...right } = locks.backends['right']!;
    expect(right).toEqual({
      status: 'down',
      holding: 0,
      waiting: 0,
      error: 'memory is unavailable: not connected',
    });
    expect(Date.parse(since!)).toBeGreaterThanOrEqual(before);
    expect((await ask()).locks.backends['right']?.since).toBe(since);
  });

  it('asks only the backends that are named', async () => {
    const broken = () => unplugged(new BackendUnavailableError('memory', 'not connected', 'no'));
    const { indicator } = await healthApp([], { backends: { left: () => memory(), right: broken } });
    const left = await indicator.check('locks', { backends: ['left', 'left'] });
    expect(left).toEqual({ locks: { status: 'up', backends: { left: up } } });
    expect((await indicator.check('locks', { backends: ['right'] })).locks.status).toBe('down');
  });

  it('answers within the time-out, however many backends are silent', async () => {
    const silent = () => altered(memory(), { ping: never });
    const { ask } = await healthApp([], { backends: { a: silent, b: silent, c: silent } }, TIMEOUT_MS);
    const { status, locks, timing } = await ask();
    expect(status).toBe(503);
    expect(locks.backends['c']?.error).toBe(`no answer within ${TIMEOUT_MS} ms`);
    // A timer counts in whole ms.
    expect(timing.to - timing.from).toBeGreaterThanOrEqual(TIMEOUT_MS - 1);
    liveness.assertMedian('the answer', 2.8 * TIMEOUT_MS, [timing]);
  });

  it('does not take a stall of this process for one of the backend', async () => {
    const clock = new ManualClock();
    const answered = deferred<number>();
    const backend = () => altered(memory({ clock }), { ping: () => answered.opened });
    const { indicator } = await healthApp([], { backend, clock });
    const idle = clock.pendingTimers;
    const check = indicator.check('locks', { timeoutMs: 20 });
    await until(() => clock.pendingTimers > idle);
    // After a stall the timer of the check runs first; the answer has come in the meantime and is read then.
    clock.setTimer(() => answered.open(1), 20);
    await clock.advance(20);
    expect((await check).locks.status).toBe('up');
    expect(clock.pendingTimers).toBe(idle);
  });

  it('leaves no timer behind when the answer came in time', async () => {
    const clock = new ManualClock();
    const { indicator } = await healthApp([], { backend: () => memory({ clock }), clock });
    const idle = clock.pendingTimers;
    await indicator.check('locks');
    expect(clock.pendingTimers).toBe(idle);
  });

  it('counts each outage from its own beginning', async () => {
    const clock = new ManualClock();
    const lost = new BackendUnavailableError('memory', 'not connected', 'no');
    const state = { isLost: true };
    const ping = async () => (state.isLost ? Promise.reject(lost) : 0);
    const { indicator } = await healthApp([], { backend: () => altered(memory({ clock }), { ping }), clock });
    const since = async () => (await indicator.check('locks')).locks.backends['default']?.since;
    const first = await since();
    await clock.advance(1_000);
    expect(await since()).toBe(first);
    state.isLost = false;
    expect(await since()).toBeUndefined();
    state.isLost = true;
    expect(await since()).toBe(new Date(clock.wall()).toISOString());
  });

  it('is down while the locks are closing, and asks no backend', async () => {
    const { app, indicator } = await healthApp(['a'], { shutdownGraceMs: 10_000 });
    const lease = await bedrockOf(app).lock('a').acquire();
    const closing = app.close();
    await until(() => bedrockOf(app).bedrock().isClosed);
    const { locks } = await indicator.check('locks');
    expect(locks.backends['default']).toMatchObject({
      status: 'down',
      holding: 1,
      error: 'the lock service is closing',
    });
    await lease.release();
    await closing;
    expect((await indicator.check('locks')).locks.status).toBe('down');
  });
});

describe('a backend that answers but gives no locks', () => {
  const refusal = new BackendUnavailableError('memory', 'quarantined for 900 ms more', 'no');
  const locks = [{ name: 'a', failFast: true }, 'other'];

  async function fickle() {
    const clock = new ManualClock();
    const real = memory({ clock });
    const state = { isRefusing: false, isSilent: false };
    const backend = altered(
      real,
      { ping: () => (state.isSilent ? Promise.reject(refusal) : real.ping()) },
      { claim: (one) => (state.isRefusing ? Promise.reject(refusal) : real.leases.claim(one)) },
    );
    const { app, indicator } = await healthApp(locks, { backend: () => backend, clock });
    const lock = bedrockOf(app).lock('a');
    const refuse = async () => {
      state.isRefusing = true;
      await expect(lock.run(() => 'ran')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      state.isRefusing = false;
    };
    const ask = async () => (await indicator.check('locks')).locks.backends['default']!;
    return { clock, lock, other: bedrockOf(app).lock('other'), state, refuse, ask };
  }

  it('is down after a refused claim, since the first one, until the next grant', async () => {
    const { clock, lock, refuse, ask } = await fickle();
    const since = new Date(clock.wall()).toISOString();
    await refuse();
    const error = 'memory is unavailable: quarantined for 900 ms more';
    expect(await ask()).toEqual({ status: 'down', holding: 0, waiting: 0, since, error });
    await clock.advance(4_000);
    await refuse();
    expect(await ask()).toMatchObject({ status: 'down', since });
    await lock.run(() => 'ran');
    expect(await ask()).toEqual(up);
    await refuse();
    expect((await ask()).since).toBe(new Date(clock.wall()).toISOString());
  });

  it('does not take a hand-over inside this process for a grant', async () => {
    const { other, refuse, ask } = await fickle();
    const held = await other.acquire();
    const next = other.acquire();
    await refuse();
    await held.release();
    await (await next).release();
    expect((await ask()).status).toBe('down');
  });

  it('is up again when no caller has asked for a lock for 5 s', async () => {
    const { clock, refuse, ask } = await fickle();
    await refuse();
    await clock.advance(4_999);
    expect((await ask()).status).toBe('down');
    await clock.advance(1);
    expect((await ask()).status).toBe('up');
  });

  it('is up as soon as it answers, when it had not answered at all', async () => {
    const { state, refuse, ask } = await fickle();
    await refuse();
    state.isSilent = true;
    expect((await ask()).status).toBe('down');
    await refuse();
    state.isSilent = false;
    expect((await ask()).status).toBe('up');
  });
});

describe('the error that is shown', () => {
  const withCause = (detail: string, cause: unknown) =>
    new BackendUnavailableError('memory', detail, 'no', { cause });
  const connection = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:6379'), { code: 'ECONNREFUSED' });
  const circle = new Error('one');
  circle.cause = circle;

  it.each<[string, unknown, string]>([
    ['the code of the system', withCause(`not connected (${connection.message})`, connection), ': ECONNREFUSED'],
    ['the code below other errors', withCause('x', new Error('y', { cause: connection })), ': ECONNREFUSED'],
    ['the code of a reply', withCause('READONLY no', new Error("READONLY You can't write")), ': READONLY'],
    ['plain words', withCause('no answer within 1000 ms', undefined), ': no answer within 1000 ms'],
    ['no host', withCause('getaddrinfo for redis.internal', new Error('redis.internal')), ''],
    ['no address', withCause('connect 10.1.2.3:6379', undefined), ''],
    ['no URL with a password', withCause('cannot reach redis://me:secret@host', 'secret'), ''],
    ['no user', withCause("NOPERM User me can't", new Error("NOPERM User me has no right")), ': NOPERM'],
    ['nothing of a foreign error', new TypeError('secret'), ''],
    ['nothing of a value that is no error', 'secret', ''],
    ['nothing of undefined', undefined, ''],
    ['an end of circular causes', withCause('not connected', circle), ': not connected'],
  ])('has %s', async (_what, error, shown) => {
    const { indicator } = await healthApp([], { backend: () => unplugged(error as Error) });
    const { locks } = await indicator.check('locks');
    expect(locks.backends['default']?.error).toBe(`memory is unavailable${shown}`);
  }); // prettier-ignore
});

describe('a bad argument of check()', () => {
  it.each<[string, unknown, unknown]>([
    ...[undefined, null, '', '__proto__', 5, {}, Symbol('s')].map(
      (key): [string, unknown, unknown] => ['key', key, {}],
    ),
    ...[null, 5, 'text', []].map((options): [string, unknown, unknown] => ['options', 'locks', options]),
    ['options.timeout', 'locks', { timeout: 5 }],
    ...[null, 0, -1, NaN, Infinity, 60_001, '5', {}, 5n].map(
      (timeoutMs): [string, unknown, unknown] => ['timeoutMs', 'locks', { timeoutMs }],
    ),
    ...[null, 'default', {}, [], ['eu'], ['default', undefined], [null], [5]].map(
      (backends): [string, unknown, unknown] => ['backends', 'locks', { backends }],
    ),
  ])('%s is refused: %p, %p', async (field, key, options) => {
    const { indicator } = await healthApp([], {});
    const error: unknown = await indicator.check(key as string, options as object).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect((error as InvalidOptionError).field).toBe(field);
  }); // prettier-ignore

  it('tells which backends there are', async () => {
    const { indicator } = await healthApp([], { backends: { left: () => memory(), right: () => memory() } });
    await expect(indicator.check('locks', { backends: ['eu'] })).rejects.toThrow(
      'backends must be some of left, right; got "eu"',
    );
  });
});

describe('an application does not start with the indicator', () => {
  it('but without TerminusModule', async () => {
    const error = await startError({ imports: [locksOf()], providers: [BedrockHealthIndicator] });
    expect(error.message).toContain('HealthIndicatorService');
  });

  it('but without BedrockLockModule', async () => {
    const error = await startError({ imports: health.imports, providers: [BedrockHealthIndicator] });
    expect(error.message).toContain('the locks of BedrockLockModule');
  });

  it('and starts with both, however often it is provided', async () => {
    const { providers, imports } = health;
    const app = await start({
      imports: [...imports, locksOf()],
      providers: [...providers, { provide: 'again', useClass: BedrockHealthIndicator }],
    });
    expect(await app.get<BedrockHealthIndicator>('again').check('locks')).toEqual({
      locks: { status: 'up', backends: { default: up } },
    });
  });
});
