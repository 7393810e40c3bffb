import { Inject, Injectable, Module, type DynamicModule } from '@nestjs/common';
import { Mutex } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { BedrockLockModule, DistributedLock, getLockToken, InjectLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, locksOf, start, startError } from '../app.js';

afterEach(closeAll);

describe('BedrockLockModule.forFeature()', () => {
  const feature = (waitMs?: number) =>
    BedrockLockModule.forFeature([waitMs === undefined ? 'audit' : { name: 'audit', waitMs }]);

  @Injectable()
  class Audit {
    constructor(@InjectLock('audit') readonly lock: Mutex) {}

    @DistributedLock('audit')
    async write(): Promise<string> {
      return 'written';
    }
  }

  @Injectable()
  class Reader {
    constructor(@Inject(getLockToken('audit')) readonly lock: Mutex) {}
  }

  function app(first: DynamicModule, second: DynamicModule) {
    @Module({ imports: [first], providers: [Audit] })
    class One {}
    @Module({ imports: [second], providers: [Reader] })
    class Two {}
    return { imports: [One, Two, locksOf()] };
  }

  it('registers locks where they are used; the same ones are one object', async () => {
    const running = await start(app(feature(5), feature(5)));
    expect(running.get(Audit).lock).toBe(running.get(Reader).lock);
    expect(running.get(Audit).lock.settings.waitMs).toBe(5);
    expect(await running.get(Audit).write()).toBe('written');
  });

  it('takes the kind of a lock, which is a mutex when it is left out', async () => {
    const explicit = BedrockLockModule.forFeature([{ name: 'audit', kind: 'mutex', waitMs: 5 }]);
    const running = await start(app(explicit, feature(5)));
    expect(running.get(Audit).lock).toBeInstanceOf(Mutex);
    expect(running.get(Audit).lock).toBe(running.get(Reader).lock);
  });

  it('refuses a kind that there is not, and tells which there are', () => {
    const unknown = () => BedrockLockModule.forFeature([{ name: 'audit', kind: 'semaphor' as never }]);
    expect(unknown).toThrow(
      'locks[0].kind must be one of mutex, fairMutex, readWriteLock, semaphore, countdownLatch, countingSemaphore, ' +
        'expirableSemaphore, leaderElection; got "semaphor"',
    );
  });

  it('refuses the same name with other options when the application starts', async () => {
    const error = await startError(app(feature(5), feature(6)));
    expect(error.message).toContain('lock "audit": options must be those that lock "audit" was created with');
    expect(error.message).toMatch(/created once\): waitMs 5;/);
  });

  it('refuses other options than those of forRoot, set or left out', async () => {
    const wanted = 'lock "audit": options must be those that lock "audit" was created with';
    const imports = [locksOf([{ name: 'audit', waitMs: 5 }])];
    expect((await startError({ imports: [...imports, feature(6)] })).message).toContain(wanted);
    expect((await startError({ imports: [...imports, feature()] })).message).toContain(wanted);
  });

  it('gives locks to the module that registers them, not to all', async () => {
    @Module({ providers: [Reader] })
    class Elsewhere {}
    const error = await startError({ imports: [locksOf(), feature(), Elsewhere] });
    expect(error.message).toContain('lock "audit" of BedrockLockModule.forRoot({ locks })');
    expect(error.message).toContain('Elsewhere');
  });

  it('lets decorated methods of every module use what any of them registered', async () => {
    @Module({ imports: [feature()] })
    class Registering {}
    @Injectable()
    class Writer {
      @DistributedLock('audit')
      async write(): Promise<string> {
        return 'written';
      }
    }
    const running = await start({ imports: [Registering, locksOf()], providers: [Writer] });
    expect(await running.get(Writer).write()).toBe('written');
  });

  it('is refused without forRoot(), and the message names it', async () => {
    const error = await startError({ imports: [feature()] });
    expect(error.message).toContain('the locks of BedrockLockModule');
    expect(error.message).toContain('BedrockLockModule.forRoot(');
  });

  it('is found without its backend, however often it was registered', async () => {
    const backends = { left: () => memory() };
    const far = () => BedrockLockModule.forFeature([{ name: 'audit', backend: 'left' }]);
    const { imports } = app(far(), far());
    const running = await start({ imports: [...imports.slice(0, 2), locksOf([], { backends })] });
    expect(bedrockOf(running).lock('audit')).toBe(running.get(Audit).lock);
  });

  it('gives the lock of forRoot when it is the same', async () => {
    const root = locksOf([{ name: 'audit', waitMs: 5 }]);
    @Module({ imports: [feature(5)], providers: [Audit] })
    class One {}
    const running = await start({ imports: [root, One] });
    expect(running.get(Audit).lock).toBe(bedrockOf(running).lock('audit'));
  });
});
