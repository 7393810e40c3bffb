import { Injectable } from '@nestjs/common';
import { CountdownLatch, CountingSemaphore, ExpirableSemaphore } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { InjectLock } from 'nestjs-bedrock';
import { bedrockOf, closeAll, locksOf, start } from '../app.js';
import { crowd, EXCLUSIVE, ordersUnder, SHARED } from './taken.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startRedis();
});
afterEach(closeAll);
afterAll(() => server.stop());

let tests = 0;
beforeEach(() => void (tests += 1));

/** Redis as a process sees it, with the names of this test. */
const onRedis = (locks: Parameters<typeof locksOf>[0]) =>
  locksOf(locks, { backend: () => redis({ url: server.url }), prefix: `test-${tests}:` });

describe.each([...EXCLUSIVE, ...SHARED])('a method under $name, in two applications on Redis', (taken) => {
  it('is kept out by its rival, and runs when that has gone', async () => {
    const { Orders } = ordersUnder(taken.use);
    const metadata = () => ({ imports: [onRedis([taken.lock])], providers: [Orders] });
    const [one, other] = [await start(metadata()), await start(metadata())];
    const held = await taken.rival(bedrockOf(one), 'a').acquire();
    expect(await other.get(Orders).skipping('a')).toBeUndefined();
    expect(await other.get(Orders).instead('a')).toBe('LOCK_BUSY of a from the object');
    expect(await other.get(Orders).skipping('b')).toBe('done');
    const waiting = other.get(Orders).pay('a');
    await held.release();
    expect(await waiting).toBe(`test-${tests}:order:a`);
    expect(await other.get(Orders).skipping('a')).toBe('done');
  });
});

describe.each(EXCLUSIVE)('a method under $name, in two applications on Redis', ({ lock, use }) => {
  it('runs alone', async () => {
    const { Orders } = ordersUnder(use);
    const metadata = () => ({ imports: [onRedis([lock])], providers: [Orders] });
    const apps = [await start(metadata()), await start(metadata())];
    const { witness: checker, body } = crowd();
    await Promise.all(Array.from({ length: 30 }, (_, i) => apps[i % 2]!.get(Orders).pay('a', body)));
    expect(checker.assertExclusion().leases).toBe(30);
  });
});

describe('injected latches and semaphores, in two applications on Redis', () => {
  @Injectable()
  class Imports {
    constructor(
      @InjectLock('rows') readonly rows: CountdownLatch,
      @InjectLock('slots') readonly slots: CountingSemaphore,
      @InjectLock('seats') readonly seats: ExpirableSemaphore,
    ) {}
  }

  it('count together', async () => {
    const metadata = () => ({
      imports: [
        onRedis([
          { name: 'rows', kind: 'countdownLatch' },
          { name: 'slots', kind: 'countingSemaphore' },
          { name: 'seats', kind: 'expirableSemaphore', leaseMs: 10_000 },
        ]),
      ],
      providers: [Imports],
    });
    const [one, other] = [(await start(metadata())).get(Imports), (await start(metadata())).get(Imports)];
    expect(await one.rows.trySetCount(2)).toBe(true);
    const awaited = one.rows.await();
    await other.rows.countDown();
    await other.rows.countDown();
    await awaited;
    await one.slots.trySetPermits(2);
    await other.slots.acquire();
    expect(await one.slots.availablePermits()).toBe(1);
    await one.seats.trySetPermits(1);
    const permit = await other.seats.acquire();
    expect(await one.seats.tryAcquire()).toBeNull();
    expect(await one.seats.release(permit.id)).toBe('released');
  });
});
