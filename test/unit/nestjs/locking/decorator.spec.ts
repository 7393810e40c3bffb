import { Injectable, SetMetadata } from '@nestjs/common';
import { LockLostError, LockWaitTimeoutError, type Mutex } from 'bedrock-lock';
import { ExclusionChecker } from 'bedrock-testkit';
import { currentLease, DistributedLock, lockWhile } from 'nestjs-bedrock';
import { defer, EMPTY, of, Subject, throwError } from 'rxjs';
import { bedrockOf, closeAll, errorOf, locksOf, start, until } from '../app.js';
import { collect, feeds } from './feeds.js';

afterEach(closeAll);

describe('@DistributedLock() on a service', () => {
  @Injectable()
  class Stock {
    readonly witness = new ExclusionChecker();

    @DistributedLock('stock')
    async take(count: number): Promise<number> {
      await this.witness.run(() => new Promise((resolve) => setImmediate(resolve)));
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
    expect(stock.witness.assertExclusion().leases).toBe(4);
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
        return currentLease()?.settings;
      }

      @DistributedLock('stock')
      async unset(): Promise<unknown> {
        return currentLease()?.settings;
      }
    }
    const app = await start({
      imports: [locksOf([{ name: 'stock', waitMs: 7, renewAt: 0.5 }])],
      providers: [Terms],
    });
    const own = bedrockOf(app).lock('stock').settings;
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
    expect(Reflect.ownKeys({ ...stock })).toEqual(['witness']);
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

describe('lockWhile', () => {
  it('subscribes to the source only while the lock is held', async () => {
    const { lock, isFree } = await feeds();
    const source = new Subject<number>();
    const values = collect(source.pipe(lockWhile(lock)));
    expect(source.observed).toBe(false);
    await until(() => source.observed);
    expect(await isFree()).toBe(false);
    source.next(1);
    source.complete();
    expect(await values).toEqual([1]);
    expect(await isFree()).toBe(true);
  });

  it('gives the lock back on error and on unsubscription', async () => {
    const { lock, isFree, stats } = await feeds();
    await expect(collect(throwError(() => new TypeError('no')).pipe(lockWhile(lock)))).rejects.toThrow(
      TypeError,
    );
    expect(await isFree()).toBe(true);
    const source = new Subject();
    const subscription = source.pipe(lockWhile(lock)).subscribe();
    await until(() => source.observed);
    subscription.unsubscribe();
    await until(() => stats().holds === 0);
  });

  it('fails with LockLostError when the lock is lost', async () => {
    const { lock } = await feeds();
    const source = new Subject();
    const values = collect(source.pipe(lockWhile(lock)));
    await until(() => source.observed);
    await lock.forceRelease();
    await expect(values).rejects.toThrow(LockLostError);
  });

  it('passes every option of time on to the lock', async () => {
    const { lock } = await feeds();
    const options = {
      leaseMs: 4_000,
      renew: false,
      maxHoldMs: 3_000,
      holdAtLeastMs: 5,
      waitMs: 20,
      failFast: true,
    };
    const terms = defer(() => of(currentLease()?.settings));
    expect(await collect(terms.pipe(lockWhile(lock, options)))).toEqual([{ ...lock.settings, ...options }]);
  });

  it('holds as many permits of a semaphore as requested', async () => {
    const app = await start({ imports: [locksOf([{ name: 'seats', kind: 'semaphore', permits: 3 }])] });
    const seats = bedrockOf(app).semaphore('seats');
    const source = new Subject();
    const subscription = source.pipe(lockWhile(seats, { permits: 2 })).subscribe();
    await until(() => source.observed);
    expect(await seats.available()).toBe(1);
    subscription.unsubscribe();
    expect(errorOf(() => lockWhile(seats, { permits: 0 }))).toMatchObject({ field: 'permits' });
  });

  it('obeys the options of the call', async () => {
    const { lock, stats } = await feeds();
    await using _held = await lock.acquire();
    await expect(collect(EMPTY.pipe(lockWhile(lock, { waitMs: 0 })))).rejects.toMatchObject({
      code: 'LOCK_BUSY',
    });
    const stop = new AbortController();
    const values = collect(EMPTY.pipe(lockWhile(lock, { signal: stop.signal })));
    await until(() => stats().waiters === 1);
    stop.abort(new Error('enough'));
    await expect(values).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: { message: 'enough' } });
    await expect(collect(EMPTY.pipe(lockWhile(lock, { signal: stop.signal })))).rejects.toMatchObject({
      code: 'LOCK_ABORTED',
    });
  });

  it('stops waiting on unsubscription, whatever signal it was given', async () => {
    const { lock, stats } = await feeds();
    await using _held = await lock.acquire();
    const { signal } = new AbortController();
    const subscription = EMPTY.pipe(lockWhile(lock, { signal })).subscribe();
    await until(() => stats().waiters === 1);
    subscription.unsubscribe();
    await until(() => stats().waiters === 0);
  });

  it.each([
    ['lock', () => lockWhile(undefined as unknown as Mutex)],
    ['lock', () => lockWhile({} as Mutex)],
    ['options', () => lockWhile({ run() {} } as unknown as Mutex, null as never)],
    ['options.wait', () => lockWhile({ run() {} } as unknown as Mutex, { wait: 1 } as never)],
    ['options.permits', () => lockWhile({ run() {} } as unknown as Mutex, { permits: 1 } as never)],
    ['waitMs', () => lockWhile({ run() {} } as unknown as Mutex, { waitMs: -1 })],
    ['leaseMs', () => lockWhile({ run() {} } as unknown as Mutex, { leaseMs: 0.5 })],
    ['signal', () => lockWhile({ run() {} } as unknown as Mutex, { signal: null as never })],
  ])('refuses a bad %s', (field, act) => {
    expect(errorOf(act)).toMatchObject({ code: 'INVALID_OPTION', field });
  });
});
