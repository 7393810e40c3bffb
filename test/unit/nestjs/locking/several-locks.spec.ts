import { Injectable } from '@nestjs/common';
import { multiLock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { DistributedLock } from 'nestjs-bedrock';
import { altered } from './altered.js';
import { bedrockOf, closeAll, deferred, locksOf, start, until } from '../app.js';

afterEach(closeAll);

describe('several locks on one method', () => {
  @Injectable()
  class Transfers {
    readonly entered: string[] = [];
    readonly seen: number[] = [];

    @DistributedLock({ lock: 'account', key: '{0}' })
    @DistributedLock({ lock: 'account', key: '{1}' })
    async move(from: string, to: string): Promise<void> {
      this.entered.push(`${from}${to}`);
      await new Promise((resolve) => setImmediate(resolve));
    }

    @DistributedLock('zebra')
    @DistributedLock('ant')
    async zebraFirst(body: () => Promise<void>): Promise<void> {
      await body();
    }

    @DistributedLock('ant')
    @DistributedLock('zebra')
    async antFirst(body: () => Promise<void>): Promise<void> {
      await body();
    }
  }
  const metadata = () => ({
    imports: [locksOf(['account', 'zebra', 'ant'], { defaults: { waitMs: Infinity } })],
    providers: [Transfers],
  });

  it('never deadlocks two methods that name them in opposite order', async () => {
    const app = await start(metadata());
    const transfers = app.get(Transfers);
    const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? transfers.zebraFirst(tick) : transfers.antFirst(tick),
    );
    const moves = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? transfers.move('a', 'b') : transfers.move('b', 'a'),
    );
    await Promise.all([...calls, ...moves]);
    expect(transfers.entered).toHaveLength(20);
  });

  it('takes them in the order of their names and gives them back in reverse', async () => {
    const app = await start(metadata());
    const events: string[] = [];
    const bedrock = bedrockOf(app).bedrock();
    bedrock.on('lease.granted', ({ resource }) => events.push(`+${resource}`));
    bedrock.on('lease.released', ({ resource }) => events.push(`-${resource}`));
    await app.get(Transfers).zebraFirst(async () => {});
    expect(events).toEqual(['+ant', '+zebra', '-zebra', '-ant']);
  });

  it('orders them by code unit, whatever the language of the process', async () => {
    @Injectable()
    class Capitals {
      @DistributedLock('ant')
      @DistributedLock('Zebra')
      @DistributedLock('ähre')
      async run(): Promise<void> {}
    }
    const app = await start({ imports: [locksOf(['ant', 'Zebra', 'ähre'])], providers: [Capitals] });
    const order: string[] = [];
    bedrockOf(app)
      .bedrock()
      .on('lease.granted', ({ resource }) => order.push(resource));
    await app.get(Capitals).run();
    expect(order).toEqual(['Zebra', 'ant', 'ähre']);
  });

  it('takes the same lock once when both keys are the same', async () => {
    const app = await start({
      imports: [locksOf([{ name: 'account', reentrant: false }, 'zebra', 'ant'])],
      providers: [Transfers],
    });
    await expect(app.get(Transfers).move('a', 'a')).resolves.toBeUndefined();
  });

  it('takes them in one question where their decorators say the same about them', async () => {
    @Injectable()
    class Both {
      @DistributedLock({ lock: 'ant', waitMs: 100 })
      @DistributedLock({ lock: 'zebra', waitMs: 100 })
      async alike(): Promise<void> {}

      @DistributedLock({ lock: 'ant', waitMs: 100 })
      @DistributedLock({ lock: 'zebra', waitMs: 200 })
      async unlike(): Promise<void> {}
    }
    const backend = new FaultyBackend(memory());
    const imports = [locksOf(['ant', 'zebra'], { backend: () => backend })];
    const both = (await start({ imports, providers: [Both] })).get(Both);
    const asked = () => [backend.callsOf('claimAll').length, backend.callsOf('claim').length];
    await both.alike();
    expect(asked()).toEqual([1, 0]);
    await both.unlike();
    expect(asked()).toEqual([1, 2]);
  });

  it('gives back the first when the second cannot be acquired', async () => {
    @Injectable()
    class Both {
      @DistributedLock('ant')
      @DistributedLock({ lock: 'zebra', waitMs: 0 })
      async run(): Promise<void> {}
    }
    const app = await start({ imports: [locksOf(['ant', 'zebra'])], providers: [Both] });
    const bedrock = bedrockOf(app);
    await using _zebra = await bedrock.lock('zebra').acquire();
    await expect(app.get(Both).run()).rejects.toMatchObject({ code: 'LOCK_BUSY', resource: 'zebra' });
    expect(await bedrock.lock('ant').inspect()).toEqual([]);
  });

  it('takes one again that was lost while the other was waited for', async () => {
    const app = await start(metadata());
    const bedrock = bedrockOf(app);
    const zebra = await bedrock.lock('zebra').acquire();
    const held: string[] = [];
    const call = app.get(Transfers).zebraFirst(async () => {
      for (const name of ['ant', 'zebra'])
        if ((await bedrock.lock(name).inspect()).length === 1) held.push(name);
    });
    const stats = () => bedrock.bedrock().stats();
    await until(() => stats().holds === 2 && stats().waiters === 1);
    const lost = deferred();
    bedrock.bedrock().on('lease.lost', () => lost.open());
    await bedrock.lock('ant').forceRelease();
    await lost.opened;
    await zebra.release();
    await call;
    expect(held).toEqual(['ant', 'zebra']);
    expect(await bedrock.lock('zebra').inspect()).toEqual([]);
  });

  it('takes all of them outside when a decorator between them wraps the method', async () => {
    const events: string[] = [];
    const Between = (_target: object, _key: string, descriptor: PropertyDescriptor) => {
      const inner = descriptor.value as () => Promise<void>;
      descriptor.value = async function (this: object) {
        events.push('between');
        await inner.call(this);
      };
    };
    @Injectable()
    class Sandwich {
      @DistributedLock('zebra')
      @Between
      @DistributedLock('ant')
      async run(): Promise<void> {
        events.push('body');
      }
    }
    const app = await start({ imports: [locksOf(['ant', 'zebra'])], providers: [Sandwich] });
    bedrockOf(app)
      .bedrock()
      .on('lease.granted', ({ resource }) => events.push(resource));
    await app.get(Sandwich).run();
    expect(events).toEqual(['ant', 'zebra', 'between', 'body']);
  });
});

describe('a lock on several backends', () => {
  @Injectable()
  class Copies {
    @DistributedLock({ lock: 'shelf', backend: 'left' })
    @DistributedLock({ lock: 'shelf', backend: 'right' })
    async leftFirst(): Promise<void> {}

    @DistributedLock({ lock: 'shelf', backend: 'right' })
    @DistributedLock({ lock: 'shelf', backend: 'left' })
    async rightFirst(): Promise<void> {}

    @DistributedLock({ lock: 'bin', backend: 'right' })
    @DistributedLock({ lock: 'shelf', backend: 'left' })
    async mixed(): Promise<void> {}
  }

  it.each([
    ['leftFirst', ['+shelf on left', '+shelf on right', '-shelf on right', '-shelf on left']],
    ['rightFirst', ['+shelf on left', '+shelf on right', '-shelf on right', '-shelf on left']],
    ['mixed', ['+bin on right', '+shelf on left', '-shelf on left', '-bin on right']],
  ] as const)(
    'is distinguished by its backend, and taken in the order of names, then backends: %s',
    async (method, order) => {
      const names = ['right', 'left'] as const;
      const backends = { right: () => memory(), left: () => memory() };
      const locks = names.flatMap((backend) => ['shelf', 'bin'].map((name) => ({ name, backend })));
      const app = await start({ imports: [locksOf(locks, { backends })], providers: [Copies] });
      const events: string[] = [];
      for (const name of names) {
        const bedrock = bedrockOf(app).bedrock(name);
        bedrock.on('lease.granted', ({ resource }) => events.push(`+${resource} on ${name}`));
        bedrock.on('lease.released', ({ resource }) => events.push(`-${resource} on ${name}`));
      }
      await app.get(Copies)[method]();
      expect(events).toEqual(order);
      // multiLock() takes what both of them want in the same order.
      const shelves = names.map((name) => bedrockOf(app).lock('shelf', name));
      expect(multiLock(shelves).locks).toEqual(shelves.toReversed());
    },
  );

  it('is ordered by what the backends call themselves first, as by multiLock()', async () => {
    const backends = { left: () => altered(memory(), { name: 'zookeeper' }), right: () => memory() };
    const locks = Object.keys(backends).flatMap((backend) => [
      { name: 'shelf', backend },
      { name: 'bin', backend },
    ]);
    const app = await start({ imports: [locksOf(locks, { backends })], providers: [Copies] });
    const order: string[] = [];
    for (const name of ['left', 'right'])
      bedrockOf(app)
        .bedrock(name)
        .on('lease.granted', () => order.push(name));
    await app.get(Copies).leftFirst();
    expect(order).toEqual(['right', 'left']);
    const shelves = order.map((name) => bedrockOf(app).lock('shelf', name));
    expect(multiLock(shelves.toReversed()).locks).toEqual(shelves);
  });
});
