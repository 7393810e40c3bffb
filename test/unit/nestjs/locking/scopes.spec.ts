import { Controller, Get, Inject, Injectable, Module, Scope } from '@nestjs/common';
import {
  ContextIdFactory,
  LazyModuleLoader,
  REQUEST,
  type ContextId,
  type HostComponentInfo,
} from '@nestjs/core';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import request from 'supertest';
import { bedrockOf, closeAll, deferred, locksOf, serve, start, until } from '../app.js';

afterEach(closeAll);

const held = () => currentLease()?.resource;

describe('a durable provider', () => {
  interface Tenant {
    readonly tenant: string;
  }
  const made: string[] = [];
  const trees = new Map<string, ContextId>();

  @Injectable({ scope: Scope.REQUEST, durable: true })
  class Ledger {
    constructor(@Inject(REQUEST) readonly owner: Tenant) {
      made.push(owner.tenant);
    }

    @DistributedLock({
      lock: 'ledger',
      key(this: Ledger) {
        return this.owner.tenant;
      },
    })
    async write(): Promise<unknown> {
      return held();
    }
  }

  @Controller({ scope: Scope.REQUEST, durable: true })
  class Front {
    constructor(private readonly ledger: Ledger) {}

    @Get()
    @DistributedLock({ lock: 'ledger', key: 'front' })
    async get(): Promise<unknown> {
      return [held(), await this.ledger.write()];
    }
  }

  it('is locked, for every request that shares it', async () => {
    ContextIdFactory.apply({
      attach(contextId: ContextId, { headers }: { headers: Record<string, string> }) {
        const tenant = headers['x-tenant']!;
        const tree = trees.get(tenant) ?? ContextIdFactory.create();
        trees.set(tenant, tree);
        return {
          resolve: (info: HostComponentInfo) => (info.isTreeDurable ? tree : contextId),
          payload: { tenant },
        };
      },
    });
    const app = await serve({
      imports: [locksOf(['ledger'])],
      controllers: [Front],
      providers: [Ledger],
    });
    const ask = (tenant: string) =>
      request(app.getHttpServer() as never)
        .get('/')
        .set('x-tenant', tenant)
        .then(({ body }) => body as unknown);
    for (const tenant of ['a', 'b', 'a'])
      expect(await ask(tenant)).toEqual(['ledger:front', `ledger:${tenant}`]);
    expect(made).toEqual(['a', 'b']);
  });
});

describe('a module that is loaded later', () => {
  @Injectable()
  class Late {
    @DistributedLock('work')
    async run(): Promise<unknown> {
      return held();
    }

    @DistributedLock('unknown')
    async wrong(): Promise<void> {}
  }

  @Module({ providers: [Late] })
  class LateModule {}

  it('has its methods locked; a mistake shows at the first call, since the start has passed', async () => {
    const app = await start({ imports: [locksOf(['work'])] });
    const late = (await app.get(LazyModuleLoader).load(() => LateModule)).get(Late);
    expect(await late.run()).toBe('work');
    await expect(late.wrong()).rejects.toThrow("add { name: 'unknown' } to the locks");
  });
});

describe('two applications in one process', () => {
  @Injectable()
  class Work {
    @DistributedLock('work')
    async run<T>(body: () => Promise<T>): Promise<T> {
      return body();
    }
  }

  it('with backends of their own do not share their locks, though they share the class', async () => {
    const metadata = () => ({ imports: [locksOf(['work'])], providers: [Work] });
    const [one, other] = [await start(metadata()), await start(metadata())];
    const inside = deferred();
    const done = deferred();
    const first = one.get(Work).run(async () => {
      inside.open();
      await done.opened;
      return held();
    });
    await inside.opened;
    expect(await other.get(Work).run(async () => held())).toBe('work');
    expect(bedrockOf(one).lock('work')).not.toBe(bedrockOf(other).lock('work'));
    done.open();
    expect(await first).toBe('work');
  });

  it('may register what the class names under other options', async () => {
    const one = await start({ imports: [locksOf(['work'], { prefix: 'one-' })], providers: [Work] });
    const other = await start({ imports: [locksOf(['work'], { prefix: 'other-' })], providers: [Work] });
    expect(await one.get(Work).run(async () => held())).toBe('one-work');
    expect(await other.get(Work).run(async () => held())).toBe('other-work');
    expect(await one.get(Work).run(async () => held())).toBe('one-work');
  });

  it('end one without the other', async () => {
    const metadata = () => ({ imports: [locksOf(['work'])], providers: [Work] });
    const [one, other] = [await start(metadata()), await start(metadata())];
    const call = other.get(Work).run(async () => {
      await one.close();
      return currentLease()?.isHeld;
    });
    expect(await call).toBe(true);
    await expect(one.get(Work).run(async () => held())).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    await until(() => bedrockOf(other).bedrock().stats().holds === 0);
  });
});
