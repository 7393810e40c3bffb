import {
  type BeforeApplicationShutdown,
  Controller,
  Get,
  Global,
  Injectable,
  Module,
  type OnModuleDestroy,
  Scope,
} from '@nestjs/common';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { jest } from '@jest/globals';
import { LockClosedError, LockLostError } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { liveness } from 'bedrock-testkit';
import request from 'supertest';
import { bedrockOf, closeAll, deferred, locksOf, serve, start, startError, until } from '../app.js';

afterEach(closeAll);

describe('@DistributedLock() on a lifecycle hook', () => {
  const seen: unknown[] = [];
  const note = (hook: string) => seen.push([hook, currentLease()?.resource]);
  beforeEach(() => seen.splice(0));

  @Injectable()
  class Hooks {
    @DistributedLock({ lock: 'work', key: 'up' })
    async onModuleInit(): Promise<void> {
      note('onModuleInit');
    }

    @DistributedLock({ lock: 'work', key: 'up' })
    async onApplicationBootstrap(): Promise<void> {
      note('onApplicationBootstrap');
    }

    @DistributedLock({ lock: 'work', key: 'down' })
    async onModuleDestroy(): Promise<void> {
      note('onModuleDestroy');
    }

    @DistributedLock({ lock: 'work', key: 'down' })
    async beforeApplicationShutdown(): Promise<void> {
      note('beforeApplicationShutdown');
    }
  }

  it('works on those of the start, and on those of the end while locks still work', async () => {
    @Module({ providers: [Hooks] })
    class Feature {}
    const app = await start({ imports: [Feature, locksOf(['work'])] });
    expect(seen).toEqual([
      ['onModuleInit', 'work:up'],
      ['onApplicationBootstrap', 'work:up'],
    ]);
    seen.splice(0);
    await app.close();
    expect(seen).toEqual([
      ['onModuleDestroy', 'work:down'],
      ['beforeApplicationShutdown', 'work:down'],
    ]);
  });

  it('stops the start on the one that comes after the locks are closed', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Late {
      @DistributedLock('work')
      async onApplicationShutdown(): Promise<void> {}
    }
    const error = await startError({ imports: [locksOf(['work'])], providers: [Late] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: '@DistributedLock()' });
    expect(error.message).toContain('left off Late.onApplicationShutdown()');
    expect(error.message).toContain('use beforeApplicationShutdown()');
  });

  it("lets one of several applications do what onModuleInit does with onBusy: 'skip'", async () => {
    let migrations = 0;
    class Migrations {
      @DistributedLock({ lock: 'work', onBusy: 'skip' })
      async onModuleInit(): Promise<void> {
        migrations += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const { memory, MemoryStore } = await import('bedrock-lock/memory');
    const store = new MemoryStore();
    const metadata = () => ({
      imports: [locksOf([{ name: 'work', holdAtLeastMs: 5_000 }], { backend: () => memory({ store }) })],
      providers: [Migrations],
    });
    await Promise.all([start(metadata()), start(metadata()), start(metadata())]);
    expect(migrations).toBe(1);
  });
});

describe('the hooks of other modules, wherever they stand in the list of imports', () => {
  const seen: unknown[] = [];
  beforeEach(() => seen.splice(0));

  /** Made by a factory, so that it is the start of the locks that binds it. */
  class Made {
    @DistributedLock('work')
    async run(): Promise<unknown> {
      return currentLease()?.resource;
    }
    async onModuleInit(): Promise<void> {
      seen.push(await this.run());
    }
    async onModuleDestroy(): Promise<void> {
      seen.push(await this.run());
    }
    async beforeApplicationShutdown(): Promise<void> {
      seen.push(await this.run());
    }
  }
  const providers = () => [{ provide: 'made', useFactory: () => new Made() }];

  it.each([true, false])('may use locks, also in global modules; isGlobal: %p', async (isGlobal) => {
    const locks = locksOf(['work'], { isGlobal });
    @Global()
    @Module({ imports: [locks], providers: providers() })
    class Before {}
    @Module({ imports: [locks], providers: providers() })
    class Local {}
    @Global()
    @Module({ imports: [locks], providers: providers() })
    class After {}
    const app = await start({ imports: [Before, Local, locks, After] });
    expect(seen).toEqual(['work', 'work', 'work']);
    await app.close();
    expect(seen).toEqual(Array(9).fill('work'));
  });
});

@Injectable()
class Work {
  @DistributedLock({ lock: 'work', waitMs: Infinity })
  async run<T>(body: () => Promise<T>): Promise<T> {
    return body();
  }
}

describe('app.close()', () => {
  it('rejects waiters and lets holders finish', async () => {
    const app = await start({ imports: [locksOf(['work'], { shutdownGraceMs: 10_000 })], providers: [Work] });
    const work = app.get(Work);
    const inside = deferred();
    const done = deferred();
    const holder = work.run(async () => {
      inside.open();
      await done.opened;
      return currentLease()!.isHeld;
    });
    await inside.opened;
    const waiter = work.run(async () => 'never');
    await until(() => bedrockOf(app).bedrock().stats().waiters === 1);
    const closing = app.close();
    await expect(waiter).rejects.toThrow(LockClosedError);
    done.open();
    expect(await holder).toBe(true);
    await closing;
    await expect(work.run(async () => 'never')).rejects.toThrow(LockClosedError);
  });

  it('takes the lock from holders that do not finish in time, and frees it for others', async () => {
    const store = new MemoryStore();
    const options = { backend: () => memory({ store }), shutdownGraceMs: 20 };
    const app = await start({ imports: [locksOf(['work'], options)], providers: [Work] });
    const inside = deferred();
    const done = deferred();
    const holder = app.get(Work).run(async () => {
      inside.open();
      await done.opened;
    });
    await inside.opened;
    await app.close();
    const other = await start({ imports: [locksOf(['work'], options)], providers: [Work] });
    expect(await other.get(Work).run(async () => 'mine')).toBe('mine');
    done.open();
    await expect(holder).rejects.toThrow(LockLostError);
    await expect(holder).rejects.toMatchObject({ reason: 'closed' });
  });

  it('lets the shutdown hooks of other classes still use locks', async () => {
    const seen: string[] = [];
    @Injectable()
    class Consumer extends Work implements OnModuleDestroy, BeforeApplicationShutdown {
      async onModuleDestroy() {
        seen.push(await this.run(async () => 'destroyed'));
      }
      async beforeApplicationShutdown() {
        seen.push(await this.run(async () => 'shut down'));
      }
    }
    const app = await start({ imports: [locksOf(['work'])], providers: [Consumer] });
    await app.close();
    expect(seen).toEqual(['destroyed', 'shut down']);
  });

  it('answers the requests that wait, so that the server need not wait for them', async () => {
    @Controller()
    class Front extends Work {
      @Get()
      async get() {
        return this.run(async () => 'never');
      }
    }
    const app = await serve({ imports: [locksOf(['work'])], controllers: [Front] });
    await app.listen(0, '127.0.0.1');
    const bedrock = bedrockOf(app);
    await bedrock.lock('work').acquire();
    const answer = request(await app.getUrl())
      .get('/')
      .then(({ status }) => status);
    await until(() => bedrock.bedrock().stats().waiters === 1);
    await app.close();
    expect(await answer).toBe(503);
  });

  it('rejects the waiters of a lock of any kind, and lets its holders finish', async () => {
    const locks = locksOf(
      [
        { name: 'config', kind: 'readWriteLock' },
        { name: 'seats', kind: 'semaphore', permits: 1 },
        { name: 'start', kind: 'countdownLatch' },
        { name: 'slots', kind: 'countingSemaphore' },
      ],
      { shutdownGraceMs: 10_000, defaults: { waitMs: Infinity } },
    );
    const app = await start({ imports: [locks] });
    const bedrock = bedrockOf(app);
    const leases = [
      await bedrock.readWriteLock('config').read.acquire(),
      await bedrock.semaphore('seats').acquire(),
    ];
    await bedrock.countdownLatch('start').trySetCount(1);
    const waiters = [
      bedrock.readWriteLock('config').write.acquire(),
      bedrock.semaphore('seats').acquire(),
      bedrock.countdownLatch('start').await(),
      bedrock.countingSemaphore('slots').acquire(),
    ].map((waiter) => expect(waiter).rejects.toMatchObject({ code: 'LOCK_CLOSED' }));
    await until(() => bedrock.bedrock().stats().waiters === waiters.length);
    const closing = app.close();
    await Promise.all(waiters);
    expect(leases.map(({ isHeld }) => isHeld)).toEqual([true, true]);
    await Promise.all(leases.map((lease) => lease.release()));
    await closing;
  });

  it('gives the holders on all backends their grace at the same time', async () => {
    const backends = { default: () => memory(), other: () => memory() };
    const options = { backends, shutdownGraceMs: 500 };
    const app = await start({ imports: [locksOf(['work', { name: 'far', backend: 'other' }], options)] });
    const bedrock = bedrockOf(app);
    const leases = await Promise.all(['work', 'far'].map((name) => bedrock.lock(name).acquire()));
    const begun = performance.now();
    await liveness.within('closing', 950, () => app.close());
    // A timer counts in whole ms.
    expect(performance.now() - begun).toBeGreaterThanOrEqual(499);
    expect(leases.map(({ isHeld }) => isHeld)).toEqual([false, false]);
  });

  it('closes every backend, once', async () => {
    const backends = { default: memory(), other: memory() };
    const closings = Object.values(backends).map((backend) => jest.spyOn(backend, 'close'));
    const app = await start({ imports: [locksOf(['work'], { backends })] });
    const bedrock = bedrockOf(app);
    await app.close();
    await app.close();
    for (const closing of closings) expect(closing).toHaveBeenCalledTimes(1);
    expect(['default', 'other'].map((name) => bedrock.bedrock(name).isClosed)).toEqual([true, true]);
  });
});
