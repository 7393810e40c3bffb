import {
  Bedrock,
  InvalidOptionError,
  LockAbortedError,
  type CountdownLatch,
  type CountingSemaphore,
  type ExpirableSemaphore,
} from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { tryAll, type Parameter } from './bad-values.js';

const NUMBERS_FROM_0 = ['Infinity', '0', '0.5'];
const any = (value: unknown): never => value as never;

describe('bad input to latches and semaphores', () => {
  let backend: FaultyBackend;
  let bedrock: Bedrock;
  let latch: CountdownLatch;
  let counting: CountingSemaphore;
  let expirable: ExpirableSemaphore;
  let names = 0;

  beforeEach(() => {
    backend = new FaultyBackend(memory());
    bedrock = new Bedrock({ backend });
    latch = bedrock.countdownLatch('latch');
    counting = bedrock.countingSemaphore('counting');
    expirable = bedrock.expirableSemaphore('expirable');
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  const options: Parameter[] = [
    ...(['countdownLatch', 'countingSemaphore', 'expirableSemaphore'] as const).flatMap(
      (kind): Parameter[] => {
        const fresh = (given: object): unknown => bedrock[kind](`${kind}-${++names}`, given);
        return [
          {
            name: `${kind} options`,
            field: /^options/,
            good: ['undefined', 'an object'],
            use: (v) => bedrock[kind](`${kind}-${++names}`, any(v)),
          },
          {
            name: `${kind} waitMs`,
            field: 'waitMs',
            good: ['undefined', ...NUMBERS_FROM_0],
            use: (v) => fresh({ waitMs: v }),
          },
          {
            name: `${kind} failFast`,
            field: 'failFast',
            good: ['undefined', 'true'],
            use: (v) => fresh({ failFast: v }),
          },
          {
            name: `${kind} maxWaiters`,
            field: 'maxWaiters',
            good: ['undefined'],
            use: (v) => fresh({ maxWaiters: v }),
          },
          {
            name: `${kind} name`,
            field: 'name',
            good: ['"5"', '*', ':', '__proto__', '{a}{b}'],
            use: (v) => bedrock[kind](any(v)),
          },
          {
            name: `${kind} key`,
            field: 'key',
            good: [
              '-1',
              '0',
              '0.5',
              '2^31',
              '2^53',
              '"5"',
              'CRLF',
              'NUL',
              '{',
              '}',
              '{a}{b}',
              '{}',
              '*',
              ':',
              '__proto__',
              'a reserved prefix',
              'a bigint',
              'true',
            ],
            use: (v) => {
              bedrock[kind](`${kind}-${++names}`).for(any(v));
            },
          },
        ];
      },
    ),
    {
      name: 'leaseMs',
      field: 'leaseMs',
      good: ['undefined', 'Infinity'],
      use: (v) => bedrock.expirableSemaphore(`e-${++names}`, { leaseMs: any(v) }),
    },
  ];

  const calls: Parameter[] = [
    { name: 'trySetCount', field: 'count', good: [], use: (v) => latch.trySetCount(any(v)) },
    { name: 'countDown', field: 'n', good: ['undefined'], use: (v) => latch.countDown(any(v)) },
    {
      name: 'await options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => latch.await(any(v)),
    },
    {
      name: 'await waitMs',
      field: 'waitMs',
      good: ['undefined', ...NUMBERS_FROM_0],
      use: (v) => latch.await({ waitMs: any(v) }),
    },
    {
      name: 'await signal',
      field: 'signal',
      good: ['undefined'],
      use: (v) => latch.await({ signal: any(v) }),
    },
    {
      name: 'await failFast',
      field: 'failFast',
      good: ['undefined', 'true'],
      use: (v) => latch.await({ failFast: any(v) }),
    },
    {
      name: 'counting trySetPermits',
      field: 'permits',
      good: [],
      use: (v) => counting.trySetPermits(any(v)),
    },
    {
      name: 'counting acquire',
      field: 'permits',
      good: ['undefined'],
      use: (v) => counting.acquire(any(v), { waitMs: 1 }).catch(unlessInvalid),
    },
    {
      name: 'counting acquire waitMs',
      field: 'waitMs',
      good: ['undefined', ...NUMBERS_FROM_0],
      use: (v) => settleSoon(counting, any(v)),
    },
    {
      name: 'counting tryAcquire',
      field: 'permits',
      good: ['undefined'],
      use: (v) => counting.tryAcquire(any(v)),
    },
    {
      name: 'counting tryAcquire waitMs',
      field: 'waitMs',
      good: ['undefined'],
      use: (v) => counting.tryAcquire(1, any({ waitMs: v })),
    },
    { name: 'counting release', field: 'permits', good: ['undefined'], use: (v) => counting.release(any(v)) },
    { name: 'addPermits', field: 'permits', good: ['-1', '0'], use: (v) => counting.addPermits(any(v)) },
    {
      name: 'expirable trySetPermits',
      field: 'permits',
      good: [],
      use: (v) => expirable.trySetPermits(any(v)),
    },
    { name: 'acquireMany', field: 'permits', good: [], use: (v) => expirable.acquireMany(any(v)) },
    {
      name: 'acquire leaseMs',
      field: 'leaseMs',
      good: ['undefined', 'Infinity'],
      use: (v) => expirable.acquire({ leaseMs: any(v), waitMs: 1 }).catch(unlessInvalid),
    },
    {
      name: 'tryAcquire options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => expirable.tryAcquire(any(v)),
    },
    { name: 'release id', field: 'id', good: [], use: (v) => expirable.release(any(v)) },
    { name: 'extend id', field: 'id', good: [], use: (v) => expirable.extend(any(v), 1_000) },
    {
      name: 'extend leaseMs',
      field: 'leaseMs',
      good: ['undefined', 'Infinity'],
      use: (v) => expirable.extend('0'.repeat(32), any(v)),
    },
  ];

  it.each([...options, ...calls].map((parameter) => [parameter.name, parameter] as const))(
    'is refused by name: %s',
    async (_name, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
    },
  );

  it.each(calls.map((parameter) => [parameter.name, parameter] as const))(
    'sends nothing: %s',
    async (_name, parameter) => {
      let refused = 0;
      for (const value of [NaN, -1, 0.5, 2 ** 53, Symbol('x'), [], 'x']) {
        const sent = backend.calls.length;
        const error: unknown = await Promise.resolve(parameter.use(value)).catch((reason: unknown) => reason);
        if (!(error instanceof InvalidOptionError)) continue;
        refused += 1;
        expect(backend.calls).toHaveLength(sent);
      }
      expect(refused).toBeGreaterThan(0);
    },
  );

  it('refuses misspelt options, and those of another kind', () => {
    expect(() => bedrock.countdownLatch('a', any({ leaseMs: 5 }))).toThrow(/leaseMs/);
    expect(() => bedrock.countingSemaphore('a', any({ permits: 5 }))).toThrow(/permits/);
    expect(() => bedrock.expirableSemaphore('a', any({ renew: true }))).toThrow(/renew/);
    expect(() => expirable.for(...([] as unknown as ['x']))).toThrow(/at least one part/);
    return expect(latch.await(any({ leaseMs: 5 }))).rejects.toThrow(/leaseMs/);
  });

  it('refuses a name that is another kind already, and other options for a known name', () => {
    bedrock.mutex('taken');
    expect(bedrock.countdownLatch('latch')).toBe(latch);
    for (const make of [
      () => bedrock.countdownLatch('taken'),
      () => bedrock.countingSemaphore('latch'),
      () => bedrock.expirableSemaphore('counting'),
      () => bedrock.mutex('expirable'),
      () => bedrock.countdownLatch('latch', { waitMs: 1 }),
      () => bedrock.expirableSemaphore('expirable', { leaseMs: 1_000 }),
    ]) {
      expect(make).toThrow(InvalidOptionError);
    }
  });

  it('takes the defaults of the Bedrock for options that are not given', async () => {
    const other = new Bedrock({
      backend: memory(),
      defaults: { waitMs: 70, failFast: true, maxWaiters: 7, leaseMs: 900, renew: false },
    });
    const shared = { waitMs: 70, failFast: true, maxWaiters: 7 };
    expect(other.countdownLatch('a').settings).toEqual(shared);
    expect(other.countingSemaphore('b', { waitMs: 5 }).settings).toEqual({ ...shared, waitMs: 5 });
    expect(other.expirableSemaphore('c').settings).toEqual({ ...shared, leaseMs: 900 });
    await other.close();
  });

  it('rejects on an already aborted signal before anything is sent', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    const sent = backend.calls.length;
    await expect(latch.await({ signal })).rejects.toThrow(LockAbortedError);
    await expect(counting.acquire(1, { signal })).rejects.toThrow(LockAbortedError);
    await expect(expirable.tryAcquire({ signal })).rejects.toThrow(LockAbortedError);
    expect(backend.calls).toHaveLength(sent);
    expect(bedrock.stats().waiters).toBe(0);
  });

  it('is not accepted by a backend without the driver: an error when it is created', async () => {
    const bare = memory();
    const without = new Proxy(bare, {
      get: (target, key) => {
        if (key === 'counters' || key === 'permits') return undefined;
        const member: unknown = Reflect.get(target, key);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const other = new Bedrock({ backend: without });
    const isUnsupported = expect.objectContaining({ code: 'LOCK_UNSUPPORTED', backend: 'memory' }) as Error;
    expect(() => other.countdownLatch('a')).toThrow(isUnsupported);
    expect(() => other.countingSemaphore('a')).toThrow(isUnsupported);
    expect(() => other.expirableSemaphore('a')).toThrow(isUnsupported);
    // Nothing is kept of what was refused.
    expect(other.mutex('a').name).toBe('a');
    await other.close();
  });
});

/** A wait in vain is no matter of this test. */
function unlessInvalid(error: unknown): void {
  if (error instanceof InvalidOptionError) throw error;
}

/** A wait that ends, however long it may be: by a signal. */
async function settleSoon(semaphore: CountingSemaphore, waitMs: number): Promise<void> {
  const controller = new AbortController();
  const waiting = semaphore.acquire(1, { waitMs, signal: controller.signal }).catch(unlessInvalid);
  controller.abort();
  await waiting;
}
