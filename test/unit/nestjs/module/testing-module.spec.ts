import { Controller, Injectable, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Bedrock, Idempotency, multiLock, Mutex, ReadWriteLock, runInFlow, Semaphore } from 'bedrock-lock';
import { ManualClock } from 'bedrock-testkit';
import { BedrockService, Idempotent, InjectIdempotency, InjectLock } from 'nestjs-bedrock';
import { BedrockTestingModule, RecordedLocks } from 'nestjs-bedrock/testing';
import { Orders } from './orders.js';

@Injectable()
class ByHand {
  constructor(
    @InjectLock('audit') readonly audit: Mutex,
    @InjectLock('prices') readonly prices: ReadWriteLock,
    @InjectLock('slots') readonly slots: Semaphore,
    @InjectIdempotency('orders') readonly orders: Idempotency,
  ) {}
}

@Controller()
class OrdersController {
  @Post('orders')
  @Idempotent('orders')
  async place() {
    return {};
  }
}

/** In place of whatever a provider asks for. */
const doubles = () =>
  new Proxy({}, { get: (_target, name) => (name === 'then' ? undefined : () => undefined) });

describe('BedrockTestingModule.noLocks()', () => {
  const compile = () =>
    Test.createTestingModule({
      imports: [BedrockTestingModule.noLocks({ locks: ['audit'] })],
      controllers: [OrdersController],
      providers: [Orders],
    }).compile();

  it('runs methods without locks, under names that nothing registers, and tells their keys', async () => {
    const module = await (await compile()).init();
    expect(await module.get(Orders).place({ id: 'o-1' })).toBe('o-1 without a lock');
    await module.get(Orders).many('a', 'b');
    const recorded = module.get(RecordedLocks);
    expect(recorded.calls).toEqual([
      { method: 'Orders.place()', lock: 'order', key: ['o-1'] },
      { method: 'Orders.many()', lock: 'order', key: ['a'] },
      { method: 'Orders.many()', lock: 'order', key: ['b'] },
    ]);
    expect(recorded.keysOf('order')).toEqual(['o-1', 'a', 'b']);
    expect(await module.get(Orders).once('x')).toBe('x');
    expect(await module.get(Orders).audit.run(() => 'in memory')).toBe('in memory');
    expect(recorded.calls.at(-1)).toEqual({ method: 'Mutex.run()', lock: 'audit', key: [] });
    await module.close();
  });

  it('serves objects that the test makes, until it is closed', async () => {
    const module = await compile();
    const orders = new Orders(module.get(Orders).audit);
    expect(await orders.place({ id: 'o-2' })).toBe('o-2 without a lock');
    expect(module.get(RecordedLocks).keysOf('order')).toEqual(['o-2']);
    await module.close();
    await expect(orders.place({ id: 'o-2' })).rejects.toMatchObject({ code: 'LOCK_UNBOUND' });
  });

  it('serves objects that the test makes after an inner module is closed', async () => {
    const outer = await compile();
    const inner = await compile();
    const orders = new Orders(outer.get(Orders).audit);
    await orders.place({ id: 'o-1' });
    await inner.close();
    await orders.place({ id: 'o-2' });
    expect(inner.get(RecordedLocks).keysOf('order')).toEqual(['o-1']);
    expect(outer.get(RecordedLocks).keysOf('order')).toEqual(['o-2']);
    await outer.close();
    await expect(orders.place({ id: 'o-3' })).rejects.toMatchObject({ code: 'LOCK_UNBOUND' });
  });

  it('serves objects that got doubles', async () => {
    const locks = await compile();
    const module = await Test.createTestingModule({ providers: [Orders] })
      .useMocker(doubles)
      .compile();
    expect(await module.get(Orders).place({ id: 'o-3' })).toBe('o-3 without a lock');
    await module.close();
    await locks.close();
  });
});

describe('BedrockTestingModule.inMemory()', () => {
  const compile = () =>
    Test.createTestingModule({
      imports: [
        BedrockTestingModule.inMemory({
          locks: [
            { name: 'order', waitMs: 0 },
            'audit',
            { name: 'prices', kind: 'readWriteLock' },
            { name: 'slots', kind: 'semaphore', permits: 3 },
          ],
          idempotency: ['orders'],
        }),
      ],
      providers: [Orders, ByHand],
    }).compile();

  it('locks objects that the test makes, until it is closed', async () => {
    const module = await compile();
    const orders = new Orders(module.get(Orders).audit);
    expect(await orders.place({ id: 'o-1' })).toBe('order:o-1');
    expect([await orders.once('a'), await orders.once('a')]).toEqual(['a', 'a']);
    expect(orders.runs).toBe(1);
    await module.close();
    await expect(orders.place({ id: 'o-1' })).rejects.toMatchObject({ code: 'LOCK_UNBOUND' });
  });

  it('locks objects that got doubles', async () => {
    const locks = await compile();
    const module = await Test.createTestingModule({ providers: [Orders] })
      .useMocker(doubles)
      .compile();
    const orders = module.get(Orders);
    expect(await orders.place({ id: 'o-1' })).toBe('order:o-1');
    const lease = await locks.get(BedrockService).lock('order').for('o-1').acquire();
    await expect(orders.place({ id: 'o-1' })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    await lease.release();
    await module.close();
    await locks.close();
  });

  it('tells what was asked of injected locks, and with which key', async () => {
    const module = await compile();
    const { audit, prices, slots } = module.get(ByHand);
    await audit
      .for('o-1')
      .for(2)
      .run(() => undefined);
    await (await audit.acquire()).release();
    await (await audit.for('o-2').tryAcquire())!.release();
    await runInFlow(async () => {
      await audit.lock();
      expect(await audit.tryLock()).toBe(true);
    });
    await prices.for('p-1').write.run(() => prices.read.for('p-2').run(() => undefined));
    await slots.run(() => undefined, { permits: 2 });
    await module
      .get(BedrockService)
      .mutex('made')
      .run(() => undefined);
    expect(module.get(RecordedLocks).calls.map(({ method, lock, key }) => [method, lock, ...key])).toEqual([
      ['Mutex.run()', 'audit', 'o-1', 2],
      ['Mutex.acquire()', 'audit'],
      ['Mutex.tryAcquire()', 'audit', 'o-2'],
      ['Mutex.lock()', 'audit'],
      ['Mutex.tryLock()', 'audit'],
      ['WriteLock.run()', 'prices', 'p-1'],
      ['ReadLock.run()', 'prices', 'p-2'],
      ['Semaphore.run()', 'slots'],
      ['Mutex.run()', 'made'],
    ]);
    await module.close();
  });

  it('hands out locks that are what they are without a test', async () => {
    const module = await compile();
    const { audit, prices, slots } = module.get(ByHand);
    expect(audit).toBeInstanceOf(Mutex);
    expect(audit).toBe(module.get(BedrockService).lock('audit'));
    expect(prices.write).toBe(prices.write);
    expect([slots.permits, await slots.available()]).toEqual([3, 3]);
    await multiLock([audit.for('a'), prices.write]).run(({ leases }) => expect(leases).toHaveLength(2));
    await module.close();
  });

  it('tells the keys of requests that run once', async () => {
    const module = await compile();
    await module.get(Orders).once('o-1');
    await module.get(ByHand).orders.run({ key: 'o-2', scope: 7 }, () => undefined);
    const recorded = module.get(RecordedLocks);
    expect(recorded.requests).toEqual([
      { idempotency: 'orders', operation: 'Orders.once', scope: undefined, key: 'o-1' },
      { idempotency: 'orders', operation: undefined, scope: 7, key: 'o-2' },
    ]);
    expect(recorded.requestsOf('orders')).toEqual(['o-1', 'o-2']);
    recorded.clear();
    expect([recorded.calls, recorded.requests]).toEqual([[], []]);
    await module.close();
  });

  it('locks in memory, by the clock of the test, and tells what was locked', async () => {
    const clock = new ManualClock();
    const module = await Test.createTestingModule({
      imports: [BedrockTestingModule.inMemory({ clock, locks: ['order', 'audit'], idempotency: ['orders'] })],
      providers: [Orders],
    }).compile();
    await module.init();
    const bedrock: Bedrock = module.get(BedrockService).bedrock();
    expect(await module.get(Orders).place({ id: 'o-1' })).toBe('order:o-1');
    expect(module.get(RecordedLocks).keysOf('order')).toEqual(['o-1']);
    const lease = await bedrock.mutex('order').acquire({ leaseMs: 1_000, renew: false });
    await clock.advance(2_000);
    expect(lease.isHeld).toBe(false);
    await module.close();
  });
});
