import { Injectable, SetMetadata } from '@nestjs/common';
import { LockWaitTimeoutError } from 'bedrock-lock';
import { BedrockService, currentLease, DistributedLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, gate, locksOf, start, until } from './app.js';

afterEach(closeAll);

describe('@DistributedLock() on a service', () => {
  @Injectable()
  class Stock {
    inside = 0;
    most = 0;

    @DistributedLock('stock')
    async take(count: number): Promise<number> {
      this.inside += 1;
      this.most = Math.max(this.most, this.inside);
      await new Promise((resolve) => setImmediate(resolve));
      this.inside -= 1;
      return count * 2;
    }

    @DistributedLock('stock')
    async fail(): Promise<void> {
      throw new TypeError('no stock');
    }

    @DistributedLock({ lock: 'stock', waitMs: 1 })
    async hurry(): Promise<void> {}

    @DistributedLock('stock')
    async outer(): Promise<number> {
      return this.take(1);
    }

    @DistributedLock('stock')
    async lease(): Promise<{ resource: string; token: number; isHeld: boolean }> {
      const { resource, token, isHeld } = currentLease()!;
      return { resource, token, isHeld };
    }
  }

  it('runs one call at a time and gives back what the method gives', async () => {
    const app = await start({ imports: [locksOf(['stock'])], providers: [Stock] });
    const stock = app.get(Stock);
    const results = await Promise.all([1, 2, 3, 4].map((count) => stock.take(count)));
    expect(results).toEqual([2, 4, 6, 8]);
    expect(stock.most).toBe(1);
  });

  it('throws the error of the method and gives the lock back', async () => {
    const app = await start({ imports: [locksOf(['stock'])], providers: [Stock] });
    await expect(app.get(Stock).fail()).rejects.toThrow(TypeError);
    expect(await bedrockOf(app).lock('stock').inspect()).toEqual([]);
  });

  it('lets a locked method call another one with the same lock', async () => {
    const app = await start({ imports: [locksOf(['stock'])], providers: [Stock] });
    expect(await app.get(Stock).outer()).toBe(2);
  });

  it('overrides the options of the lock for its own calls', async () => {
    const app = await start({ imports: [locksOf(['stock'])], providers: [Stock] });
    await using _held = await bedrockOf(app).lock('stock').acquire();
    await expect(app.get(Stock).hurry()).rejects.toThrow(LockWaitTimeoutError);
  });

  it('shows the lease inside the method, and none outside', async () => {
    const app = await start({ imports: [locksOf(['stock'], { prefix: 'shop-' })], providers: [Stock] });
    const lease = await app.get(Stock).lease();
    expect(lease).toEqual({ resource: 'shop-stock', token: expect.any(Number) as number, isHeld: true });
    expect(lease.token).toBeGreaterThan(0);
    expect(currentLease()).toBeUndefined();
  });

  it('hides the lock service from what prints or compares the object', async () => {
    const app = await start({ imports: [locksOf(['stock'])], providers: [Stock] });
    const stock = app.get(Stock);
    expect(Reflect.ownKeys({ ...stock })).toEqual(['inside', 'most']);
  });
});

describe('the wrapper', () => {
  const Below = SetMetadata('below', 1);
  const Above = SetMetadata('above', 2);

  class Orders {
    @Above
    @DistributedLock('a')
    @Below
    @DistributedLock('b')
    async place(_id: string, _count: number): Promise<void> {}
  }

  it('carries the metadata of the decorators above and below it', () => {
    const place = Orders.prototype.place;
    expect(Reflect.getMetadata('below', place)).toBe(1);
    expect(Reflect.getMetadata('above', place)).toBe(2);
  });

  it('has the name, the length and the own properties of the method', () => {
    const Mark = (_target: object, _key: string, descriptor: PropertyDescriptor) => {
      (descriptor.value as { mark?: string }).mark = 'kept';
    };
    class Marked {
      @DistributedLock('a')
      @Mark
      async place(_id: string): Promise<void> {}
    }
    const { name, length } = Orders.prototype.place;
    expect({ name, length }).toEqual({ name: 'place', length: 2 });
    expect(Marked.prototype.place).toHaveProperty('mark', 'kept');
  });
});

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

  it('never dead-locks two methods that name them in opposite order', async () => {
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

  it('takes the same lock once when both keys are the same', async () => {
    const app = await start({
      imports: [locksOf([{ name: 'account', reentrant: false }, 'zebra', 'ant'])],
      providers: [Transfers],
    });
    await expect(app.get(Transfers).move('a', 'a')).resolves.toBeUndefined();
  });

  it('gives back the first when the second is not to be had', async () => {
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
  it('is told apart by its backend, in order over both', async () => {
    const { memory } = await import('bedrock-lock/memory');
    @Injectable()
    class Copies {
      @DistributedLock({ lock: 'shelf', backend: 'left' })
      @DistributedLock({ lock: 'shelf', backend: 'right' })
      async both(body: () => Promise<void>): Promise<void> {
        await body();
      }
    }
    const backends = { left: () => memory(), right: () => memory() };
    const locks = [
      { name: 'shelf', backend: 'left' },
      { name: 'shelf', backend: 'right' },
    ];
    const app = await start({ imports: [locksOf(locks, { backends })], providers: [Copies] });
    const bedrock = app.get(BedrockService);
    const inside = gate();
    const done = gate();
    const call = app.get(Copies).both(async () => {
      inside.open();
      await done.opened;
    });
    await inside.opened;
    expect(await bedrock.lock('shelf', 'left').tryAcquire()).toBeNull();
    expect(await bedrock.lock('shelf', 'right').tryAcquire()).toBeNull();
    done.open();
    await call;
    await until(() => bedrock.bedrock('left').stats().holds === 0);
  });
});
