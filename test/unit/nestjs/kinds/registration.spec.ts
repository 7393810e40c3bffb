import { Inject, Injectable, Module } from '@nestjs/common';
import {
  CountdownLatch,
  CountingSemaphore,
  ExpirableSemaphore,
  FairMutex,
  LeaderElection,
  Mutex,
  ReadWriteLock,
  Semaphore,
} from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import {
  BedrockLockModule,
  getLockToken,
  InjectLock,
  type BedrockService,
  type LockKind,
  type LockRegistration,
} from 'nestjs-bedrock';
import { bedrockOf, closeAll, errorOf, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

interface Row {
  readonly kind: LockKind;
  readonly of: new (...args: never[]) => object;
  readonly registration: LockRegistration;
  readonly changed: LockRegistration;
  /** Where its options stand, when that is not on top. */
  readonly settings?: object;
  readonly make: (bedrock: BedrockService, name: string) => object;
}

const name = 'gate';
const ROWS: readonly Row[] = [
  {
    kind: 'mutex',
    of: Mutex,
    registration: { name, kind: 'mutex', leaseMs: 5_000 },
    changed: { name, kind: 'mutex', leaseMs: 6_000 },
    make: (bedrock, ...args) => bedrock.mutex(...args),
  },
  {
    kind: 'fairMutex',
    of: FairMutex,
    registration: { name, kind: 'fairMutex', waitMs: 50 },
    changed: { name, kind: 'fairMutex', waitMs: 60 },
    make: (bedrock, ...args) => bedrock.fairMutex(...args),
  },
  {
    kind: 'readWriteLock',
    of: ReadWriteLock,
    registration: { name, kind: 'readWriteLock', leaseMs: 5_000 },
    changed: { name, kind: 'readWriteLock', leaseMs: 6_000 },
    settings: { read: { leaseMs: 5_000 }, write: { leaseMs: 5_000 } },
    make: (bedrock, ...args) => bedrock.readWriteLock(...args),
  },
  {
    kind: 'semaphore',
    of: Semaphore,
    registration: { name, kind: 'semaphore', permits: 3 },
    changed: { name, kind: 'semaphore', permits: 4 },
    make: (bedrock, ...args) => bedrock.semaphore(...args),
  },
  {
    kind: 'countdownLatch',
    of: CountdownLatch,
    registration: { name, kind: 'countdownLatch', waitMs: 50 },
    changed: { name, kind: 'countdownLatch', waitMs: 60 },
    make: (bedrock, ...args) => bedrock.countdownLatch(...args),
  },
  {
    kind: 'countingSemaphore',
    of: CountingSemaphore,
    registration: { name, kind: 'countingSemaphore', failFast: true },
    changed: { name, kind: 'countingSemaphore', failFast: false },
    make: (bedrock, ...args) => bedrock.countingSemaphore(...args),
  },
  {
    kind: 'expirableSemaphore',
    of: ExpirableSemaphore,
    registration: { name, kind: 'expirableSemaphore', leaseMs: 5_000 },
    changed: { name, kind: 'expirableSemaphore', leaseMs: 6_000 },
    make: (bedrock, ...args) => bedrock.expirableSemaphore(...args),
  },
  {
    kind: 'leaderElection',
    of: LeaderElection,
    registration: { name, kind: 'leaderElection', leaseMs: 5_000, restMs: 10 },
    changed: { name, kind: 'leaderElection', leaseMs: 5_000, restMs: 20 },
    settings: { lock: { leaseMs: 5_000 }, restMs: 10 },
    make: (bedrock, ...args) => bedrock.leaderElection(...args),
  },
];

@Injectable()
class Injected {
  constructor(@InjectLock(name) readonly lock: object) {}
}

@Injectable()
class ByToken {
  constructor(@Inject(getLockToken(name)) readonly lock: object) {}
}

function features(first: LockRegistration, second: LockRegistration) {
  @Module({ imports: [BedrockLockModule.forFeature([first])], providers: [Injected] })
  class One {}
  @Module({ imports: [BedrockLockModule.forFeature([second])], providers: [ByToken] })
  class Two {}
  return { imports: [locksOf(), One, Two] };
}

describe.each(ROWS)('a registered $kind', ({ kind, of, registration, changed, settings, make }) => {
  it('is injected, everywhere the same object', async () => {
    const app = await start({ imports: [locksOf([registration])], providers: [Injected, ByToken] });
    const { lock } = app.get(Injected);
    expect(lock).toBeInstanceOf(of);
    expect(lock).toMatchObject({ name, resource: name });
    expect(app.get(ByToken).lock).toBe(lock);
    expect(make(bedrockOf(app), name)).toBe(lock);
    const { name: _name, kind: _kind, ...options } = registration;
    expect(lock).toMatchObject({ settings: settings ?? options });
  });

  it('is one object for several features that say the same', async () => {
    const app = await start(features(registration, { ...registration }));
    expect(app.get(Injected).lock).toBeInstanceOf(of);
    expect(app.get(ByToken).lock).toBe(app.get(Injected).lock);
  });

  it('does not start with other options, or as another kind', async () => {
    const options = await startError(features(registration, changed));
    expect(options).toMatchObject({ code: 'INVALID_OPTION', field: 'options' });
    expect(options.message).toContain(
      `lock "${name}": options must be those that lock "${name}" was created with`,
    );
    const other: LockRegistration = kind === 'mutex' ? { name, kind: 'fairMutex' } : { name };
    const error = await startError(features(registration, other));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'name' });
    expect(error.message).toContain(`lock "${name}": name must be one that is not a ${kind} already`);
  });

  it('may come from a factory, and live on a named backend', async () => {
    const root = BedrockLockModule.forRootAsync({
      useFactory: () => ({
        backends: { far: () => memory() },
        locks: [{ ...registration, backend: 'far' }],
        shutdownGraceMs: 0,
      }),
      locks: [name],
      backends: ['far'],
    });
    const app = await start({ imports: [root], providers: [Injected] });
    expect(app.get(Injected).lock).toBeInstanceOf(of);
  });
});

describe('BedrockService', () => {
  it.each(ROWS)('makes a $kind at run time, once per name', async ({ kind, of, registration }) => {
    const bedrock = bedrockOf(await start({ imports: [locksOf()] }));
    const { name: _name, kind: _kind, ...options } = registration;
    const made = bedrock[kind]('later', options as never);
    expect(made).toBeInstanceOf(of);
    expect(bedrock[kind]('later', options as never)).toBe(made);
    const wrong = kind === 'mutex' ? 'fairMutex' : 'mutex';
    expect(errorOf(() => bedrock[wrong]('later'))).toMatchObject({ code: 'INVALID_OPTION', field: 'name' });
  });

  it('gives the locks of one holder by lock(), and names the method for those of other kinds', async () => {
    const bedrock = bedrockOf(
      await start({
        imports: [
          locksOf([
            { name: 'fair', kind: 'fairMutex' },
            { name: 'start', kind: 'countdownLatch' },
          ]),
        ],
      }),
    );
    expect(bedrock.lock('fair')).toBeInstanceOf(FairMutex);
    expect(() => bedrock.lock('start')).toThrow("lock must be requested with countdownLatch('start')");
  });

  it('does not take a registered lock for one of another kind', async () => {
    const bedrock = bedrockOf(
      await start({ imports: [locksOf([{ name: 'seats', kind: 'semaphore', permits: 3 }])] }),
    );
    expect(errorOf(() => bedrock.mutex('seats'))).toMatchObject({ field: 'name' });
    expect(errorOf(() => bedrock.semaphore('seats', { permits: 4 }))).toMatchObject({ field: 'options' });
    expect(errorOf(() => bedrock.semaphore('chairs'))).toMatchObject({ code: 'INVALID_OPTION' });
  });
});
