import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Bedrock,
  InvalidOptionError,
  LockAbortedError,
  runInFlow,
  type Backend,
  type Mutex,
} from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { tryAll, type Parameter } from './bad-values.js';

const NUMBERS_FROM_0 = ['Infinity', '0', '0.5'];
const TEXTS = ['"5"', '*', ':', '__proto__', '{a}{b}'];
const OBJECTS = ['an object'];
const BOOLEANS = ['true'];

/** A backend that notes every verb: bad input must be refused before anything is sent. */
function recorded(sent: string[]): Backend {
  const backend = memory();
  const leases = new Proxy(backend.leases, {
    get(target, verb: string) {
      const member: unknown = Reflect.get(target, verb);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        sent.push(verb);
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  return new Proxy(backend, { get: (target, key) => (key === 'leases' ? leases : bound(target, key)) });
}

function bound(target: object, key: string | symbol): unknown {
  const member: unknown = Reflect.get(target, key);
  return typeof member === 'function' ? (member.bind(target) as unknown) : member;
}

describe('bad input to bedrock-lock', () => {
  let sent: string[];
  let bedrock: Bedrock;
  let lock: Mutex;
  let names = 0;

  beforeEach(() => {
    sent = [];
    bedrock = new Bedrock({ backend: recorded(sent) });
    lock = bedrock.mutex('orders');
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  const freshLock = (options: object): unknown => bedrock.mutex(`lock-${++names}`, options);
  const any = (value: unknown): never => value as never;

  const lockOptions: Parameter[] = [
    { name: 'leaseMs', field: 'leaseMs', good: ['undefined'], use: (v) => freshLock({ leaseMs: v }) },
    { name: 'renew', field: 'renew', good: ['undefined', ...BOOLEANS], use: (v) => freshLock({ renew: v }) },
    { name: 'renewAt', field: 'renewAt', good: ['undefined', '0.5'], use: (v) => freshLock({ renewAt: v }) },
    {
      name: 'maxHoldMs',
      field: 'maxHoldMs',
      good: ['undefined', 'Infinity'],
      use: (v) => freshLock({ maxHoldMs: v }),
    },
    {
      name: 'waitMs',
      field: 'waitMs',
      good: ['undefined', ...NUMBERS_FROM_0],
      use: (v) => freshLock({ waitMs: v }),
    },
    {
      name: 'fencing',
      field: 'fencing',
      good: ['undefined', ...BOOLEANS],
      use: (v) => freshLock({ fencing: v }),
    },
    {
      name: 'reentrant',
      field: 'reentrant',
      good: ['undefined', ...BOOLEANS],
      use: (v) => freshLock({ reentrant: v }),
    },
    {
      name: 'holdAtLeastMs',
      field: 'holdAtLeastMs',
      good: ['undefined', '0'],
      use: (v) => freshLock({ holdAtLeastMs: v }),
    },
    {
      name: 'failFast',
      field: 'failFast',
      good: ['undefined', ...BOOLEANS],
      use: (v) => freshLock({ failFast: v }),
    },
    { name: 'pollMs', field: 'pollMs', good: ['undefined'], use: (v) => freshLock({ pollMs: v }) },
    {
      name: 'maxWaiters',
      field: 'maxWaiters',
      good: ['undefined'],
      use: (v) => freshLock({ maxWaiters: v }),
    },
    {
      name: 'lock options',
      field: /^options/,
      good: ['undefined', ...OBJECTS],
      use: (v) => bedrock.mutex(`lock-${++names}`, any(v)),
    },
  ];

  const callOptions: Parameter[] = [
    {
      name: 'run waitMs',
      field: 'waitMs',
      good: ['undefined', ...NUMBERS_FROM_0],
      use: (v) => lock.run(noop, { waitMs: any(v) }),
    },
    {
      name: 'run leaseMs',
      field: 'leaseMs',
      good: ['undefined'],
      use: (v) => lock.run(noop, { leaseMs: any(v) }),
    },
    {
      name: 'run renew',
      field: 'renew',
      good: ['undefined', ...BOOLEANS],
      use: (v) => lock.run(noop, { renew: any(v) }),
    },
    {
      name: 'run maxHoldMs',
      field: 'maxHoldMs',
      good: ['undefined', 'Infinity'],
      use: (v) => lock.run(noop, { maxHoldMs: any(v) }),
    },
    {
      name: 'run holdAtLeastMs',
      field: 'holdAtLeastMs',
      good: ['undefined', '0'],
      use: (v) => lock.run(noop, { holdAtLeastMs: any(v) }),
    },
    {
      name: 'run failFast',
      field: 'failFast',
      good: ['undefined', ...BOOLEANS],
      use: (v) => lock.run(noop, { failFast: any(v) }),
    },
    {
      name: 'run signal',
      field: 'signal',
      good: ['undefined'],
      use: (v) => lock.run(noop, { signal: any(v) }),
    },
    {
      name: 'run options',
      field: /^options/,
      good: ['undefined', ...OBJECTS],
      use: (v) => lock.run(noop, any(v)),
    },
    { name: 'run fn', field: 'fn', good: ['a function'], use: (v) => lock.run(any(v)) },
    {
      name: 'acquire options',
      field: /^options/,
      good: ['undefined', ...OBJECTS],
      use: async (v) => (await lock.acquire(any(v))).release(),
    },
    {
      name: 'tryAcquire options',
      field: /^options/,
      good: ['undefined', ...OBJECTS],
      use: async (v) => (await lock.tryAcquire(any(v)))?.release(),
    },
    {
      name: 'tryLock waitMs',
      field: 'waitMs',
      good: ['undefined', ...NUMBERS_FROM_0],
      use: (v) => runInFlow(async () => void ((await lock.tryLock(any(v))) && (await lock.unlock()))),
    },
    { name: 'runInFlow fn', field: 'fn', good: ['a function'], use: (v) => runInFlow(any(v)) },
  ];

  const texts: Parameter[] = [
    { name: 'mutex name', field: 'name', good: TEXTS, use: (v) => bedrock.mutex(any(v)) },
    {
      name: 'key part',
      field: 'key',
      // Parts are escaped, so any text is good that is not empty, too long or broken.
      good: [
        ...TEXTS,
        'NUL',
        'CRLF',
        '{',
        '}',
        '{}',
        'a reserved prefix',
        '-1',
        '0',
        '0.5',
        '2^31',
        '2^53',
        'a bigint',
        'true',
      ],
      use: (v) => lock.for(any(v)),
    },
    { name: 'event', field: 'event', good: [], use: (v) => bedrock.on(any(v), noop) },
    {
      name: 'listener',
      field: 'listener',
      good: ['a function'],
      use: (v) => bedrock.on('lease.lost', any(v)),
    },
  ];

  it.each([...lockOptions, ...texts].map((parameter) => [parameter.name, parameter] as const))(
    'refuses every bad %s by name and sends nothing',
    async (_name, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
      expect(sent).toEqual([]);
    },
  );

  it.each(callOptions.map((parameter) => [parameter.name, parameter] as const))(
    'refuses every bad %s by name and leaves the lock free',
    async (_name, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
      const sentForBad = sent.length;
      await tryAll({
        ...parameter,
        good: [],
        use: (v) => (isBad(parameter, v) ? parameter.use(v) : undefined),
      });
      expect(sent).toHaveLength(sentForBad);
      expect(await lock.inspect()).toEqual([]);
    },
  );

  it('refuses a misspelt option instead of ignoring it', async () => {
    expect(() => bedrock.mutex('a', { leaseTime: 5 } as never)).toThrow(/leaseTime/);
    await expect(lock.run(noop, { timeout: 5 } as never)).rejects.toThrow(/timeout/);
  });

  it('refuses a bad leaseMs of extend() and keeps the lease', async () => {
    const lease = await lock.acquire();
    for (const bad of [NaN, -1, 0, 0.5, 300_001, 2 ** 53, '5', null, Symbol('x')]) {
      await expect(lease.extend(bad as never)).rejects.toThrow(InvalidOptionError);
    }
    expect(lease.isHeld).toBe(true);
    expect(await lease.release()).toBe('released');
  });

  it('rejects on an already aborted signal before anything is sent', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(lock.acquire({ signal })).rejects.toThrow(LockAbortedError);
    await expect(lock.run(noop, { signal })).rejects.toThrow(LockAbortedError);
    await expect(lock.tryAcquire({ signal })).rejects.toThrow(LockAbortedError);
    expect(sent).toEqual([]);
  });

  it('frees the lock when the body throws or rejects', async () => {
    const bodies = [
      () => {
        throw new Error('body');
      },
      () => Promise.reject(new Error('body')),
    ];
    for (const body of bodies) await expect(lock.run(body)).rejects.toThrow('body');
    expect(await lock.inspect()).toEqual([]);
  });

  it('bounds a body that never settles by maxHoldMs', async () => {
    const lost = new Promise((resolve) => bedrock.on('lease.lost', resolve));
    void lock.run(() => new Promise<void>(() => undefined), { maxHoldMs: 30 });
    expect(await lost).toMatchObject({ resource: 'orders', reason: 'maxHold' });
    await lock.run(noop, { waitMs: 1_000 });
  });

  it('keeps nothing of a refused lock: the name is still free', () => {
    expect(() => bedrock.mutex('later', { leaseMs: -1 })).toThrow(InvalidOptionError);
    expect(bedrock.mutex('later', { leaseMs: 1_000 }).settings.leaseMs).toBe(1_000);
  });

  function isBad({ good }: Parameter, value: unknown): boolean {
    return !good.some((title) => BY_TITLE.get(title) === value);
  }
});

const BY_TITLE = new Map((await import('./bad-values.js')).BAD_VALUES);

function noop(): void {}
