import { Injectable, SetMetadata } from '@nestjs/common';
import { LockWaitTimeoutError } from 'bedrock-lock';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, locksOf, start } from './app.js';

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

  it('passes every option of time on to its lock, and keeps those that it does not set', async () => {
    @Injectable()
    class Terms {
      @DistributedLock({
        lock: 'stock',
        leaseMs: 4_000,
        renew: false,
        maxHoldMs: 3_000,
        waitMs: 20,
        failFast: true,
      })
      async set(): Promise<unknown> {
        return currentLease()?.terms;
      }

      @DistributedLock('stock')
      async unset(): Promise<unknown> {
        return currentLease()?.terms;
      }
    }
    const app = await start({
      imports: [locksOf([{ name: 'stock', waitMs: 7, renewAt: 0.5 }])],
      providers: [Terms],
    });
    const own = bedrockOf(app).lock('stock').terms;
    const set = { leaseMs: 4_000, renew: false, maxHoldMs: 3_000, waitMs: 20, failFast: true };
    expect(await app.get(Terms).set()).toEqual({ ...own, ...set });
    expect(await app.get(Terms).unset()).toBe(own);
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

describe('calls inside a hold', () => {
  @Injectable()
  class Tree {
    readonly events: string[] = [];

    @DistributedLock('tree')
    async outer(branches: readonly string[]): Promise<void> {
      await Promise.all(branches.map((name) => this.inner(name)));
    }

    @DistributedLock('tree')
    async inner(name: string): Promise<void> {
      this.events.push(`+${name}`);
      await new Promise((resolve) => setImmediate(resolve));
      this.events.push(`-${name}`);
    }
  }

  it('take turns on the same lock, when they run at once', async () => {
    const app = await start({ imports: [locksOf(['tree'])], providers: [Tree] });
    const tree = app.get(Tree);
    await tree.outer(['a', 'b', 'c']);
    expect(tree.events).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
    expect(bedrockOf(app).bedrock().stats().grants).toBe(1);
  });
});
