import {
  Bedrock,
  InvalidOptionError,
  LockAbortedError,
  multiLock,
  type CallOptions,
  type LeaderElection,
  type Mutex,
} from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { tryAll, type Parameter } from './bad-values.js';

const NUMBERS_FROM_0 = ['Infinity', '0', '0.5'];
const any = (value: unknown): never => value as never;
const noop = (): void => undefined;

describe('bad input to primitives made of locks', () => {
  let backend: FaultyBackend;
  let bedrock: Bedrock;
  let locks: Mutex[];
  let election: LeaderElection;
  let names = 0;

  beforeEach(() => {
    backend = new FaultyBackend(memory());
    bedrock = new Bedrock({ backend });
    locks = [bedrock.mutex('a'), bedrock.mutex('b')];
    election = bedrock.leaderElection('election');
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  const spinning = (spin: unknown): unknown => bedrock.mutex(`spin-${++names}`, { spin: any(spin) });
  const elected = (options: object): unknown => bedrock.leaderElection(`election-${++names}`, options);
  const multi = (options: object): unknown => multiLock(locks, options);

  const options: Parameter[] = [
    { name: 'spin', field: /^spin/, good: ['undefined', 'true', 'an object'], use: spinning },
    {
      name: 'spin.firstMs',
      field: 'spin.firstMs',
      good: ['undefined'],
      use: (v) => spinning({ firstMs: v, lastMs: 2 ** 31 - 1 }),
    },
    { name: 'spin.lastMs', field: 'spin.lastMs', good: ['undefined'], use: (v) => spinning({ lastMs: v }) },
    { name: 'spin.factor', field: 'spin.factor', good: ['undefined'], use: (v) => spinning({ factor: v }) },
    { name: 'locks', field: /^locks/, good: [], use: (v) => multiLock(any(v)) },
    { name: 'one of the locks', field: 'locks[1]', good: [], use: (v) => multiLock([locks[0]!, any(v)]) },
    {
      name: 'multi-lock options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => multiLock(locks, any(v)),
    },
    {
      name: 'multi-lock waitMs',
      field: 'waitMs',
      good: ['undefined', ...NUMBERS_FROM_0],
      use: (v) => multi({ waitMs: v }),
    },
    { name: 'multi-lock leaseMs', field: 'leaseMs', good: ['undefined'], use: (v) => multi({ leaseMs: v }) },
    {
      name: 'multi-lock holdAtLeastMs',
      field: 'holdAtLeastMs',
      good: ['undefined', '0'],
      use: (v) => multi({ holdAtLeastMs: v }),
    },
    {
      name: 'multi-lock run fn',
      field: 'fn',
      good: ['a function'],
      use: (v) => multiLock(locks).run(any(v)),
    },
    {
      name: 'election options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => elected(any(v)),
    },
    {
      name: 'election restMs',
      field: 'restMs',
      good: ['undefined', '0', '0.5'],
      use: (v) => elected({ restMs: v }),
    },
    { name: 'election leaseMs', field: 'leaseMs', good: ['undefined'], use: (v) => elected({ leaseMs: v }) },
    {
      name: 'election renewAt',
      field: 'renewAt',
      good: ['undefined', '0.5'],
      use: (v) => elected({ renewAt: v }),
    },
    {
      name: 'election fencing',
      field: 'fencing',
      good: ['undefined', 'true'],
      use: (v) => elected({ fencing: v }),
    },
    {
      name: 'observe everyMs',
      field: 'everyMs',
      good: ['undefined'],
      use: (v) => election.observe({ everyMs: any(v) }),
    },
    {
      name: 'observe signal',
      field: 'signal',
      good: ['undefined'],
      use: (v) => election.observe({ signal: any(v) }),
    },
    {
      name: 'observe options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => election.observe(any(v)),
    },
  ];

  it.each(options.map((parameter) => [parameter.name, parameter] as const))(
    'refuses every bad %s by name',
    async (_name, parameter) => {
      const sent = backend.calls.length;
      expect(await tryAll(parameter)).toEqual([]);
      if (!parameter.name.endsWith('fn')) expect(backend.calls).toHaveLength(sent);
    },
  );

  const calls: Parameter[] = [
    { name: 'run waitMs', field: 'waitMs', good: ['undefined', ...NUMBERS_FROM_0], use: call('waitMs') },
    { name: 'run leaseMs', field: 'leaseMs', good: ['undefined'], use: call('leaseMs') },
    { name: 'run signal', field: 'signal', good: ['undefined'], use: call('signal') },
    {
      name: 'run options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => multiLock(locks).run(noop, any(v)),
    },
    {
      name: 'acquire options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: async (v) => (await multiLock(locks).acquire(any(v))).release(),
    },
    {
      name: 'tryAcquire options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: async (v) => (await multiLock(locks).tryAcquire(any(v)))?.release(),
    },
  ];

  function call(field: keyof CallOptions): (value: unknown) => unknown {
    return (value) => multiLock(locks).run(noop, { [field]: value });
  }

  it.each(calls.map((parameter) => [parameter.name, parameter] as const))(
    'refuses every bad %s of a multi-lock by name and leaves the locks free',
    async (_name, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
      for (const lock of locks) expect(await lock.inspect()).toEqual([]);
    },
  );

  it('refuses a body of a campaign that is none, and bad options of it', async () => {
    const stop = { signal: AbortSignal.abort() };
    const body: Parameter = {
      name: 'body',
      field: 'onElected',
      good: ['a function'],
      use: (v) => election.run(any(v), stop),
    };
    const signal: Parameter = { name: 'signal', field: 'signal', good: [], use: (v) => refusedSignal(v) };
    expect(await tryAll(body)).toEqual([]);
    expect(await tryAll(signal)).toEqual([]);
    expect(backend.calls).toEqual([]);
  });

  // Undefined is no signal at all: nothing would end that campaign.
  function refusedSignal(value: unknown): unknown {
    return election.run(noop, { signal: value === undefined ? any(null) : any(value) });
  }

  it('refuses misspelt options instead of ignoring them', async () => {
    expect(() => multiLock(locks, any({ timeout: 5 }))).toThrow(/options.timeout/);
    expect(() => multiLock(locks, any({ signal: new AbortController().signal }))).toThrow(/options.signal/);
    expect(() => bedrock.leaderElection('other', any({ waitMs: 5 }))).toThrow(/options.waitMs/);
    expect(() => spinning({ maxMs: 5 })).toThrow(/spin.maxMs/);
    await expect(multiLock(locks).run(noop, any({ timeout: 5 }))).rejects.toThrow(/options.timeout/);
    await expect(multiLock(locks).tryAcquire(any({ waitMs: 5 }))).rejects.toThrow(InvalidOptionError);
  });

  it('refuses a longest pause that is shorter than the first', () => {
    expect(() => spinning({ firstMs: 50, lastMs: 49 })).toThrow(/spin.lastMs/);
  });

  it('refuses two kinds of lock on one resource in one multi-lock', () => {
    const fair = new Bedrock({ backend: memory() }).fairMutex('a');
    expect(() => multiLock([locks[0]!, fair])).not.toThrow();
    expect(() => multiLock([bedrock.mutex('x').for('y'), bedrock.fairMutex('x:y')])).toThrow(
      /two kinds of lock/,
    );
  });

  it('rejects on an already aborted signal before anything is sent', async () => {
    const options = { signal: AbortSignal.abort(new Error('too late')) };
    await expect(multiLock(locks).acquire(options)).rejects.toThrow(LockAbortedError);
    await expect(multiLock(locks).run(noop, options)).rejects.toThrow(LockAbortedError);
    await expect(multiLock(locks).tryAcquire(options)).rejects.toThrow(LockAbortedError);
    expect(backend.calls).toEqual([]);
  });

  it('refuses a bad leaseMs of extend() of several locks, and keeps them', async () => {
    const lease = await multiLock(locks).acquire();
    for (const bad of [NaN, -1, 0, 0.5, 300_001, '5', null])
      await expect(lease.extend(any(bad))).rejects.toThrow(InvalidOptionError);
    expect(lease.isHeld).toBe(true);
    for (const bad of [undefined, null, {}, 'a'])
      expect(() => lease.leaseOf(any(bad))).toThrow(InvalidOptionError);
  });
});
