import { Bedrock, InvalidOptionError, runInFlow, UnsupportedByBackendError } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { tryAll, type Parameter } from './bad-values.js';
import { thrownBy } from '../../support/thrown-by.js';

const any = (value: unknown): never => value as never;
const NUMBERS_FROM_0 = ['Infinity', '0', '0.5'];
const TEXTS = ['"5"', '*', ':', '__proto__', '{a}{b}'];

describe('bad input to a read-write lock', () => {
  let backend: FaultyBackend;
  let bedrock: Bedrock;
  let names = 0;

  beforeEach(() => {
    backend = new FaultyBackend(memory());
    bedrock = new Bedrock({ backend });
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  const fresh = (options: object): unknown => bedrock.readWriteLock(`lock-${++names}`, options);
  const lock = () => bedrock.readWriteLock('lock');

  const options: Parameter[] = [
    { name: 'name', field: 'name', good: TEXTS, use: (v) => bedrock.readWriteLock(any(v)) },
    {
      name: 'options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => bedrock.readWriteLock(`lock-${++names}`, any(v)),
    },
    { name: 'leaseMs', field: 'leaseMs', good: ['undefined'], use: (v) => fresh({ leaseMs: v }) },
    { name: 'renew', field: 'renew', good: ['undefined', 'true'], use: (v) => fresh({ renew: v }) },
    { name: 'fencing', field: 'fencing', good: ['undefined', 'true'], use: (v) => fresh({ fencing: v }) },
    {
      name: 'waitMs',
      field: 'waitMs',
      good: ['undefined', ...NUMBERS_FROM_0],
      use: (v) => fresh({ waitMs: v }),
    },
  ];

  it.each(options)('is refused as $name when it is created', async (parameter) => {
    expect(await tryAll(parameter)).toEqual([]);
    expect(backend.calls).toEqual([]);
  });

  const calls: Parameter[] = (['read', 'write'] as const).flatMap((side) => [
    { name: `${side}.run fn`, field: 'fn', good: ['a function'], use: (v) => lock()[side].run(any(v)) },
    {
      name: `${side}.tryLock waitMs`,
      field: 'waitMs',
      good: ['undefined', ...NUMBERS_FROM_0],
      use: (v) => runInFlow(() => lock()[side].tryLock(any(v))),
    },
  ]);

  it.each(calls)('is refused as $name', async (parameter) => expect(await tryAll(parameter)).toEqual([]));

  it.each(['read', 'write'] as const)('is refused as a key or an option of a call of %s', async (side) => {
    const one = lock();
    for (const key of ['', null, undefined, {}, [], Symbol('bad'), NaN, 'x'.repeat(513)])
      expect(() => one[side].for(any(key))).toThrow(InvalidOptionError);
    expect(() => one.for(any(''))).toThrow(InvalidOptionError);
    await expect(one[side].acquire({ leaseMs: NaN })).rejects.toMatchObject({ field: 'leaseMs' });
    await expect(one[side].acquire(any({ waitMS: 5 }))).rejects.toMatchObject({ field: 'options.waitMS' });
    expect(backend.calls).toEqual([]);
  });

  it('is refused when it differs from what the lock was created with, and each option is named once', () => {
    const one = bedrock.readWriteLock('prices', { leaseMs: 5_000 });
    expect(bedrock.readWriteLock('prices', { leaseMs: 5_000 })).toBe(one);
    const { message } = thrownBy(() => bedrock.readWriteLock('prices', { leaseMs: 6_000 }));
    expect(message.match(/leaseMs 5000/g)).toHaveLength(1);
    expect(() => bedrock.mutex('prices')).toThrow('not a readWriteLock');
  });

  it('has tokens for writers alone, also where the defaults ask for them', () => {
    const { read, write } = new Bedrock({ backend: memory(), defaults: { fencing: true } }).readWriteLock(
      'x',
    );
    expect([read.settings.fencing, write.settings.fencing]).toEqual([false, true]);
  });

  it('is refused at once by a backend that cannot let readers in beside each other', async () => {
    const without = new Bedrock({ backend: new FaultyBackend(memory(), { traits: { shared: false } }) });
    expect(() => without.readWriteLock('x')).toThrow(UnsupportedByBackendError);
    await without.close();
  });
});
