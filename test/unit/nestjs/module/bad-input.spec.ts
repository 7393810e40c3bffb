import { InvalidOptionError } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import {
  BedrockLockModule,
  DistributedLock,
  getLockToken,
  InjectLock,
  type BedrockLockModuleOptions,
  type LockKind,
  type LockRegistration,
} from 'nestjs-bedrock';
import { bedrockOf, closeAll, errorOf, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

const LONG = 'x'.repeat(513);
const NOTHING = [null] as const;
const NO_NAME = [...NOTHING, '', LONG, '1'.repeat(1_000_000), 'a\u0000', 'a\r\nb', '\ud800', '{', '}', '{}', 'bedrock_x', 5, {}, [], Symbol('s'), 5n]; // prettier-ignore
const NO_TIME = [...NOTHING, NaN, -1, -Infinity, '5', '', {}, [], 2 ** 31, 2 ** 53, Symbol('s'), 5n, true];
const NO_BOOLEAN = [...NOTHING, 0, 1, 'true', '', {}, NaN];
const KINDS = [
  'mutex', 'fairMutex', 'readWriteLock', 'semaphore', 'countdownLatch', 'countingSemaphore', 'expirableSemaphore',
  'leaderElection',
] as const satisfies LockKind[]; // prettier-ignore
const NO_OBJECT = [...NOTHING, 5, 'text', '', [], NaN, true, Symbol('s')];

function rows(table: Record<string, readonly unknown[]>): [string, unknown][] {
  return Object.entries(table).flatMap(([field, values]) =>
    values.map((value): [string, unknown] => [field, value]),
  );
}

/** The field that the error names, without the place in a list. */
function fieldOf(error: unknown): string {
  expect(error).toBeInstanceOf(InvalidOptionError);
  return (error as InvalidOptionError).field;
}

function decorated(options: object): void {
  class Shop {
    async place(): Promise<void> {}
  }
  const descriptor = Object.getOwnPropertyDescriptor(Shop.prototype, 'place')!;
  (DistributedLock(options as never) as MethodDecorator)(Shop.prototype, 'place', descriptor);
}

describe('a bad option of @DistributedLock() is refused when the class is defined', () => {
  const table = rows({
    lock: [undefined, ...NO_NAME],
    backend: NO_NAME,
    key: [null, '', LONG, '{', '{a}', 'a\u0000', 5, {}, [], Symbol('s')],
    keys: [null, '', '{0}', 5, {}, ['a'], true],
    waitMs: NO_TIME,
    leaseMs: [...NO_TIME, 0, 0.5, Infinity],
    maxHoldMs: [...NO_TIME, 0],
    holdAtLeastMs: [...NO_TIME, 0.5, Infinity],
    kind: [null, '', 'Mutex', 'lock', 5, {}, ['mutex'], 'toString', '__proto__'],
    mode: [null, '', 'Read', 'readwrite', 5, {}, ['read'], true],
    permits: [null, NaN, 0, -1, 0.5, '5', Infinity, 2 ** 31 - 1, {}, [], true, 5n],
    renew: NO_BOOLEAN,
    failFast: NO_BOOLEAN,
    onBusy: [null, '', 'ignore', 'SKIP', 5, {}, [], true],
    onLost: [null, '', 'skip', 5, {}, [], true],
    returns: [null, '', 'Promise', 'value', 5, {}],
  });

  it.each(table)('%s: %p', (field, value) => {
    const error = errorOf(() => decorated({ lock: 'inventory', [field]: value }));
    expect(fieldOf(error)).toBe(field);
    expect((error as Error).message).toContain(field);
  });

  it.each([...NO_OBJECT.filter((value) => typeof value !== 'string'), undefined])(
    'in place of the options: %p',
    (value) => {
      expect(fieldOf(errorOf(() => DistributedLock(value as never)))).toBe('options');
    },
  );

  it.each(NO_NAME.filter((value) => typeof value === 'string'))('in place of the name: %j', (value) => {
    expect(fieldOf(errorOf(() => DistributedLock(value)))).toBe('lock');
  });

  it.each(['wait', 'lease', 'name', 'signal', 'pollMs'])('unknown: %s', (name) => {
    const error = errorOf(() => DistributedLock({ lock: 'inventory', [name]: 1 }));
    expect(fieldOf(error)).toBe(`options.${name}`);
  });

  it('decorators of one method that tell different returns', () => {
    const error = errorOf(() => {
      class Wrong {
        @DistributedLock({ lock: 'a', returns: 'observable' })
        @DistributedLock({ lock: 'b', returns: 'promise' })
        async run(): Promise<void> {}
      }
      return Wrong;
    });
    expect(fieldOf(error)).toBe('returns of Wrong.run()');
  });

  it('anywhere but on an instance method', () => {
    const decorator = DistributedLock('inventory') as (...args: unknown[]) => void;
    const method = { value: async () => {} };
    const places: unknown[][] = [
      [class {}, 'run', method],
      [{}, 'run', undefined],
      [{}, 'run', { get: () => 5 }],
      [{}, 'run', { value: 5 }],
      [async () => {}, { kind: 'method' }],
    ];
    for (const place of places)
      expect(fieldOf(errorOf(() => decorator(...place)))).toBe('@DistributedLock()');
  });
});

describe('a bad option of forRoot() is refused at once', () => {
  const table = rows({
    backend: [undefined, ...NO_OBJECT, {}, { leases: {} }],
    backends: [...NO_OBJECT, {}],
    'backends.a': [undefined, ...NO_OBJECT, {}].map((value) => ({ a: value })),
    locks: [null, 5, 'inventory', {}, Symbol('s')],
    'locks[0]': NO_NAME.map((value) => [value]).filter(
      ([value]) => typeof value !== 'object' || Array.isArray(value) || value === null,
    ),
    'locks[0].name': [undefined, ...NO_NAME.filter((value) => value !== null)].map((name) => [{ name }]),
    'locks[0].backend': NO_NAME.map((backend) => [{ name: 'a', backend }]),
    'locks[0].leaseMs': [[{ name: 'a', leaseMs: null }]],
    'locks[0].kind': [null, '', 'Mutex', 'lock', 5, {}, ['mutex'], 'toString', '__proto__'].map((kind) => [
      { name: 'a', kind },
    ]),
    'locks[0].permits': [[{ name: 'a', kind: 'semaphore', permits: null }]],
    shutdownGraceMs: NO_TIME,
    allowInProcessLocks: NO_BOOLEAN,
    isGlobal: NO_BOOLEAN,
    clock: [...NO_OBJECT, {}],
    logger: [...NO_OBJECT, {}, { log: () => undefined, warn: () => undefined }],
    prefix: NOTHING,
    defaults: NO_OBJECT,
    handOver: NO_OBJECT,
    'defaults.leaseMs': [{ leaseMs: null }],
    maxWaitersPerProcess: NOTHING,
  });

  it.each(table)('%s: %p', (field, value) => {
    const [name = ''] = field.split(/[.[]/);
    const options = { ...(name === 'backends' ? {} : { backend: memory() }), [name]: value };
    const error = errorOf(() => BedrockLockModule.forRoot(options));
    expect(fieldOf(error)).toBe(field);
    expect((error as Error).message).toContain(field);
  });

  it.each([undefined, ...NO_OBJECT])('in place of the options: %p', (value) => {
    expect(fieldOf(errorOf(() => BedrockLockModule.forRoot(value as never)))).toBe('options');
    expect(fieldOf(errorOf(() => BedrockLockModule.forRootAsync(value as never)))).toBe('options');
  });

  it('unknown fields', () => {
    const options = { backend: memory(), lock: [] };
    expect(fieldOf(errorOf(() => BedrockLockModule.forRoot(options)))).toBe('options.lock');
    const way = { useFactory: () => ({ backend: memory() }), backend: memory() };
    expect(fieldOf(errorOf(() => BedrockLockModule.forRootAsync(way)))).toBe('options.backend');
  });

  it('both backend and backends', () => {
    const options = { backend: memory(), backends: { a: memory() } };
    expect(fieldOf(errorOf(() => BedrockLockModule.forRoot(options)))).toBe('backend');
  });
});

describe('what only the backend can judge is refused when the application starts', () => {
  const table = rows({
    prefix: NO_NAME.filter((value) => value !== '' && value !== null),
    leaseMs: [NaN, -1, 0, 0.5, '5', Infinity, {}],
    waitMs: [NaN, -1, '5', {}],
    renew: [0, 'true', {}],
    maxWaiters: [0, -1, 0.5, '5', Infinity],
    maxWaitersPerProcess: [0, 0.5, '5', NaN],
    'handOver.quantumMs': [NaN, -1, '5'],
  });

  it.each(table)('%s: %p', async (field, value) => {
    const [name = '', inner] = field.split('.');
    const common = ['prefix', 'maxWaitersPerProcess', 'handOver'].includes(name);
    const bad = { [name]: inner === undefined ? value : { [inner]: value } };
    const root = common ? locksOf(['a'], bad) : locksOf([{ name: 'a', ...bad }]);
    const error = await startError({ imports: [root] });
    expect(fieldOf(error)).toBe(field);
    if (!common) {
      expect(error.message).toContain('lock "a": ');
      expect(fieldOf(await startError({ imports: [locksOf([], { defaults: bad })] }))).toBe(field);
    }
  });

  it.each([undefined, NaN, 0, -1, 0.5, '5', Infinity, 2 ** 31 - 1, {}])(
    'permits of a semaphore: %p',
    async (permits) => {
      const locks = locksOf([{ name: 'a', kind: 'semaphore', permits: permits as number }]);
      const error = await startError({ imports: [locks] });
      expect(fieldOf(error)).toBe('permits');
      expect(error.message).toContain('lock "a": permits must be a whole number from 1 to');
    },
  );

  it.each([
    ['mutex', 'permits'],
    ['fairMutex', 'permits'],
    ['readWriteLock', 'mode'],
    ['semaphore', 'fencing'],
    ['semaphore', 'reentrant'],
    ['countdownLatch', 'leaseMs'],
    ['countingSemaphore', 'permits'],
    ['expirableSemaphore', 'renew'],
    ['leaderElection', 'waitMs'],
    ['leaderElection', 'election'],
  ] as const)('an option of a %s that other kinds have: %s', async (kind, option) => {
    const permits = kind === 'semaphore' ? { permits: 3 } : {};
    const lock = { name: 'a', kind, ...permits, [option]: 1 } as LockRegistration;
    const error = await startError({ imports: [locksOf([lock])] });
    expect(fieldOf(error)).toBe(`options.${option}`);
    expect(error.message).toContain('lock "a": ');
  });

  it('unknown fields of a lock', async () => {
    const error = await startError({ imports: [locksOf([{ name: 'a', lease: 5 } as never])] });
    expect(fieldOf(error)).toBe('options.lease');
  });

  it.each([undefined, ...NO_OBJECT, {}, { leases: {} }])(
    'a factory of backends that gives %p',
    async (value) => {
      const error = await startError({ imports: [locksOf([], { backend: () => value as never })] });
      expect(fieldOf(error)).toBe('backend');
    },
  );
});

describe('a bad option of forRootAsync()', () => {
  it.each([
    ['options', {}],
    ['options', { useFactory: () => ({}), useClass: class {} }],
    ['useFactory', { useFactory: 5 }],
    ['useFactory', { useFactory: null }],
    ['useClass', { useClass: {} }],
    ['useExisting', { useExisting: null }],
    ['imports', { useFactory: () => ({}), imports: {} }],
    ['inject', { useFactory: () => ({}), inject: 'Config' }],
    ['locks', { useFactory: () => ({}), locks: 'a' }],
    ['locks[0]', { useFactory: () => ({}), locks: [''] }],
    ['isGlobal', { useFactory: () => ({}), isGlobal: 1 }],
  ])('%s is refused at once: %j', (field, options) => {
    expect(fieldOf(errorOf(() => BedrockLockModule.forRootAsync(options as never)))).toBe(field);
  });

  it.each([
    ['options', undefined],
    ['options', null],
    ['options', 5],
    ['backend', {}],
    ['options.isGlobal', { backend: memory(), isGlobal: true }],
    ['shutdownGraceMs', { backend: memory(), shutdownGraceMs: -1 }],
    ['locks[0].name', { backend: memory(), locks: [{ name: '' }] }],
    ['locks[0].kind', { backend: memory(), locks: [{ name: 'a', kind: 'semaphor' }] }],
  ])('%s of the factory is refused when the application starts', async (field, options) => {
    const root = BedrockLockModule.forRootAsync({ useFactory: () => options as BedrockLockModuleOptions });
    expect(fieldOf(await startError({ imports: [root] }))).toBe(field);
  });
});

describe('a bad argument', () => {
  it.each([undefined, ...NO_NAME])('of @InjectLock(), getLockToken() and forFeature(): %p', (value) => {
    expect(fieldOf(errorOf(() => InjectLock(value as string)))).toBe('name');
    expect(fieldOf(errorOf(() => getLockToken(value as string)))).toBe('name');
    if (value !== undefined) expect(fieldOf(errorOf(() => InjectLock('a', value as string)))).toBe('backend');
    const entry = [{ name: value as string }];
    expect(fieldOf(errorOf(() => BedrockLockModule.forFeature(entry)))).toBe('locks[0].name');
    if (Array.isArray(value)) return;
    expect(fieldOf(errorOf(() => BedrockLockModule.forFeature(value as never)))).toBe('locks');
  });

  it.each([undefined, ...NO_NAME])('of BedrockService: %p', async (value) => {
    const app = await start({ imports: [locksOf(['a'])] });
    const bedrock = bedrockOf(app);
    expect(fieldOf(errorOf(() => bedrock.lock(value as string)))).toBe('lock');
    for (const kind of KINDS) {
      const options = kind === 'semaphore' ? { permits: 3 } : {};
      expect(fieldOf(errorOf(() => bedrock[kind](value as string, options as never)))).toBe('name');
    }
    if (value !== undefined) expect(fieldOf(errorOf(() => bedrock.bedrock(value as string)))).toBe('backend');
    expect(bedrock.bedrock().stats().grants).toBe(0);
  });
});
