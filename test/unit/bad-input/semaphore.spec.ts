import { Bedrock, type Semaphore } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { BAD_VALUES, tryAll, type Parameter } from './bad-values.js';

const NUMBERS_FROM_0 = ['Infinity', '0', '0.5'];
const any = (value: unknown): never => value as never;
const noop = (): void => undefined;

describe('bad input to a semaphore', () => {
  let backend: FaultyBackend;
  let bedrock: Bedrock;
  let semaphore: Semaphore;
  let names = 0;

  beforeEach(() => {
    backend = new FaultyBackend(memory());
    bedrock = new Bedrock({ backend });
    semaphore = bedrock.semaphore('pool', { permits: 4 });
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  const fresh = (options: object): unknown =>
    bedrock.semaphore(`pool-${++names}`, { permits: 4, ...options });
  const option = (name: string, ...good: string[]): Parameter => ({
    name,
    field: name,
    good: ['undefined', ...good],
    use: (v) => fresh({ [name]: v }),
  });

  const options: Parameter[] = [
    { ...option('permits'), good: [] },
    option('leaseMs'),
    option('renew', 'true'),
    option('renewAt', '0.5'),
    option('maxHoldMs', 'Infinity'),
    option('waitMs', ...NUMBERS_FROM_0),
    option('holdAtLeastMs', '0'),
    option('failFast', 'true'),
    option('pollMs'),
    option('maxWaiters'),
    {
      name: 'options',
      field: /^(options|permits)/,
      good: [],
      use: (v) => bedrock.semaphore(`pool-${++names}`, any(v)),
    },
    {
      name: 'name',
      field: 'name',
      good: ['"5"', '*', ':', '__proto__', '{a}{b}'],
      use: (v) => bedrock.semaphore(any(v), { permits: 4 }),
    },
  ];

  const call = (name: string, ...good: string[]): Parameter => ({
    name: `run ${name}`,
    field: name,
    good: ['undefined', ...good],
    use: (v) => semaphore.run(noop, { [name]: any(v) }),
  });

  const calls: Parameter[] = [
    call('permits'),
    call('leaseMs'),
    call('renew', 'true'),
    call('maxHoldMs', 'Infinity'),
    call('waitMs', ...NUMBERS_FROM_0),
    call('holdAtLeastMs', '0'),
    call('failFast', 'true'),
    call('signal'),
    { name: 'run fn', field: 'fn', good: ['a function'], use: (v) => semaphore.run(any(v)) },
    {
      name: 'run options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: (v) => semaphore.run(noop, any(v)),
    },
    {
      name: 'acquire permits',
      field: 'permits',
      good: ['undefined'],
      use: async (v) => (await semaphore.acquire({ permits: any(v) })).release(),
    },
    {
      name: 'tryAcquire permits',
      field: 'permits',
      good: ['undefined'],
      use: async (v) => (await semaphore.tryAcquire({ permits: any(v) }))?.release(),
    },
    {
      name: 'tryAcquire options',
      field: /^options/,
      good: ['undefined', 'an object'],
      use: async (v) => (await semaphore.tryAcquire(any(v)))?.release(),
    },
  ];

  it.each(options.map((parameter) => [parameter.name, parameter] as const))(
    'refuses every bad %s by name and sends nothing',
    async (_name, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
      expect(backend.calls).toEqual([]);
    },
  );

  it.each(calls.map((parameter) => [parameter.name, parameter] as const))(
    'refuses every bad %s by name, sends nothing for it and leaves all permits free',
    async (_name, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
      const sent = backend.calls.length;
      const bad = BAD_VALUES.filter(([title]) => !parameter.good.includes(title));
      for (const [, value] of bad) await Promise.allSettled([attempt(parameter, value)]);
      expect(backend.calls).toHaveLength(sent);
      expect(await semaphore.available()).toBe(4);
    },
  );

  it('refuses more permits than there are, and none', async () => {
    for (const permits of [5, 0, -1, 1.5, 2 ** 31]) {
      await expect(semaphore.acquire({ permits })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        field: 'permits',
        message: expect.stringContaining('a whole number from 1 to 4') as string,
      });
    }
    for (const permits of [0, 2 ** 31 - 1]) {
      expect(() => bedrock.semaphore('large', { permits })).toThrow(/from 1 to 2147483646/);
    }
    expect(bedrock.semaphore('large', { permits: 2 ** 31 - 2 }).permits).toBe(2 ** 31 - 2);
  });

  it('refuses options that only locks have, and misspelt ones', async () => {
    expect(() => bedrock.semaphore('a', { permits: 4, fencing: true } as never)).toThrow(/options\.fencing/);
    expect(() => bedrock.semaphore('a', { permits: 4, reentrant: true } as never)).toThrow(
      /options\.reentrant/,
    );
    expect(() => bedrock.semaphore('a', { permit: 4 } as never)).toThrow(/options\.permit must be/);
    expect(() => bedrock.semaphore('a', undefined as never)).toThrow(/options must be an object/);
    await expect(semaphore.run(noop, { permit: 2 } as never)).rejects.toThrow(/options\.permit must be/);
    await expect(semaphore.tryAcquire({ waitMs: 5 } as never)).rejects.toThrow(/waitMs must be left out/);
  });

  it('takes defaults that are meant for locks', async () => {
    const locks = new Bedrock({ backend: memory(), defaults: { fencing: true, reentrant: true, waitMs: 7 } });
    const pool = locks.semaphore('pool', { permits: 2, leaseMs: undefined } as never);
    expect(pool.settings).toMatchObject({ permits: 2, fencing: false, waitMs: 7, leaseMs: 30_000 });
    await locks.close();
  });

  it('gives the same semaphore for the same name, and refuses another number or kind', () => {
    expect(bedrock.semaphore('pool', { permits: 4 })).toBe(semaphore);
    expect(() => bedrock.semaphore('pool', { permits: 5 })).toThrow(/created once\): permits 4/);
    expect(() => bedrock.semaphore('pool', { permits: 4, leaseMs: 1_000 })).toThrow(/leaseMs 30000/);
    expect(() => bedrock.mutex('pool')).toThrow(/not a semaphore already/);
    bedrock.mutex('lock');
    expect(() => bedrock.semaphore('lock', { permits: 4 })).toThrow(/not a mutex already/);
  });

  it('is refused where the backend cannot count permits', async () => {
    const unable = new Bedrock({ backend: new FaultyBackend(memory(), { traits: { weighted: false } }) });
    expect(() => unable.semaphore('pool', { permits: 4 })).toThrow(/does not support semaphores/);
    await unable.close();
  });
});

async function attempt({ use }: Parameter, value: unknown): Promise<void> {
  await use(value);
}
