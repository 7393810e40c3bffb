import { Global, Injectable, Module, Scope } from '@nestjs/common';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { closeAll, locksOf, start, startError } from './app.js';

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
