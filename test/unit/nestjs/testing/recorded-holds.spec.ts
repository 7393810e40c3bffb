import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Mutex } from 'bedrock-lock';
import { ManualClock } from 'bedrock-testkit';
import { DistributedLock, InjectLock } from 'nestjs-bedrock';
import { BedrockTestingModule, RecordedLocks } from 'nestjs-bedrock/testing';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { deferred } from '../app.js';

@Injectable()
class Orders {
  body: () => Promise<unknown> = async () => undefined;

  constructor(@InjectLock('audit') private readonly audit: Mutex) {}

  @DistributedLock({ lock: 'order', key: '{0}' })
  async place(_id: string): Promise<unknown> {
    return this.body();
  }

  @DistributedLock({ lock: 'order', key: '{0}' })
  async cancel(id: string): Promise<string> {
    return this.audit.run(() => id);
  }

  @DistributedLock('stock')
  @DistributedLock({ lock: 'order', key: '{0}' })
  async ship(id: string): Promise<string> {
    return id;
  }

  @DistributedLock({ lock: 'stock', returns: 'observable' })
  watch(): Observable<number> {
    return of(1, 2);
  }
}

let open: TestingModule | undefined;
afterEach(() => open?.close());

async function scene(kind: 'inMemory' | 'noLocks') {
  const clock = new ManualClock();
  const locks = BedrockTestingModule[kind]({ clock, locks: ['order', 'stock', 'audit'] });
  const module = await Test.createTestingModule({ imports: [locks], providers: [Orders] }).compile();
  open = module;
  await module.init();
  const recorded = module.get(RecordedLocks);
  return { clock, orders: module.get(Orders), recorded, expectLock: recorded.expectLock };
}

describe('the record of a test with locks in memory', () => {
  it('tells which methods waited for a lock, for how long, and in which order they held it', async () => {
    const { clock, orders, recorded, expectLock } = await scene('inMemory');
    const work = deferred();
    orders.body = () => work.opened;
    const calls = [orders.place('o-1'), orders.cancel('o-1')];
    await clock.advance(5);
    work.open();
    await clock.settle();
    await Promise.all(calls);
    expectLock('order').toHaveBeenHeldBy('Orders.place()');
    expectLock('order').toHaveBeenHeldInOrder(['Orders.place()', 'Orders.cancel()']);
    expectLock('order').toHaveBeenHeldInOrder(['o-1', 'o-1']);
    expectLock('order').toHaveWaited({ p50Ms: 0, maxMs: 5 });
    expectLock('order').toHaveBeenHeld({ times: 2, maxHeldMs: 5 });
    expect(recorded.waits('order')).toMatchObject([
      { label: 'Orders.place()', end: 'granted', waitedMs: 0 },
      { label: 'Orders.cancel()', end: 'granted', waitedMs: 5 },
    ]);
  });

  it('names direct calls on injected locks as the list of calls does', async () => {
    const { orders, recorded, expectLock } = await scene('inMemory');
    await orders.cancel('o-1');
    expect(recorded.calls.at(-1)).toMatchObject({ method: 'Mutex.run()', lock: 'audit' });
    expectLock('audit').toHaveBeenHeldBy('Mutex.run()');
    expect(() => expectLock('audit').toHaveBeenHeldBy('Orders.cancel()')).toThrow(
      'expected the lock "audit" to have been held by "Orders.cancel()"; ' +
        'it was held once: as a whole by "Mutex.run()"',
    );
  });

  it('names the method on each of its locks, and on the lock of a stream', async () => {
    const { orders, expectLock } = await scene('inMemory');
    await orders.ship('o-1');
    expectLock('order').toHaveBeenHeldBy('Orders.ship()');
    expectLock('stock').toHaveBeenHeldBy('Orders.ship()');
    expect(await lastValueFrom(orders.watch())).toBe(2);
    expectLock('stock').toHaveBeenHeldInOrder(['Orders.ship()', 'Orders.watch()']);
  });

  it('can be cleared between two parts of a test', async () => {
    const { orders, recorded, expectLock } = await scene('inMemory');
    await orders.ship('o-1');
    recorded.clear();
    expect([recorded.calls, recorded.waits('order'), recorded.holds('order')]).toEqual([[], [], []]);
    await orders.place('o-2');
    expectLock('order').toHaveBeenHeldInOrder(['o-2']);
  });
});

describe('the record of a test without locks', () => {
  it('tells holds as if the methods took their locks, until their promises settle', async () => {
    const { clock, orders, recorded, expectLock } = await scene('noLocks');
    const work = deferred();
    orders.body = () => work.opened;
    const placed = orders.place('o-1');
    expectLock('order').toHaveBeenHeldBy('Orders.place()');
    expect(recorded.holds('order')).toMatchObject([{ key: 'o-1', end: undefined, heldMs: 0 }]);
    clock.block(7);
    work.open();
    await placed;
    clock.block(7);
    expect(recorded.holds('order')).toMatchObject([{ end: 'released', heldMs: 7 }]);
    expectLock('order').toHaveBeenHeld({ times: 1, maxHeldMs: 7 });
    expect(() => expectLock('order').toHaveWaited({ p99Ms: 1 })).toThrow('; no wait was recorded');
  });

  it('ends the hold of a method that fails, and of a stream', async () => {
    const { orders, recorded, expectLock } = await scene('noLocks');
    orders.body = async () => {
      throw new TypeError('of the body');
    };
    await expect(orders.place('o-1')).rejects.toThrow('of the body');
    expect(await lastValueFrom(orders.watch())).toBe(2);
    for (const lock of ['order', 'stock'])
      expect(recorded.holds(lock)).toMatchObject([{ end: 'released', token: 0 }]);
    expectLock('stock').toHaveBeenHeldBy('Orders.watch()');
  });

  it('has the waits and holds of injected locks, which are real', async () => {
    const { orders, expectLock } = await scene('noLocks');
    await orders.cancel('o-1');
    expectLock('order').toHaveBeenHeldBy('Orders.cancel()');
    expectLock('audit').toHaveBeenHeldBy('Mutex.run()');
    expectLock('audit').toHaveWaited({ maxMs: 0 });
  });
});
