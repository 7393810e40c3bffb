import { AssertionError } from 'node:assert/strict';
import { Bedrock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { LockRecorder, ManualClock } from 'bedrock-testkit';

describe('expectLock()', () => {
  let clock: ManualClock;
  let recorder: LockRecorder;
  let bedrock: Bedrock;
  let expectLock: LockRecorder['expectLock'];

  beforeEach(() => {
    clock = new ManualClock();
    recorder = new LockRecorder({ clock });
    bedrock = new Bedrock({ backend: memory({ clock }), clock, handOver: { quantumMs: 10_000 } });
    recorder.listenTo(bedrock);
    ({ expectLock } = recorder);
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  /** A caller holds a lock for so long, and another one waits for it meanwhile. */
  async function contend(key: string, ms: number): Promise<void> {
    const lock = bedrock.mutex('orders').for(key);
    const held = await recorder.as('holder', () => lock.acquire());
    const waiting = recorder.as('waiter', () => lock.acquire());
    await clock.advance(ms);
    const [lease] = await Promise.all([waiting, held.release()]);
    await lease.release();
  }

  /** The message of the AssertionError that is thrown. */
  function failureOf(assertion: () => void): string {
    try {
      assertion();
    } catch (error) {
      expect(error).toBeInstanceOf(AssertionError);
      return (error as AssertionError).message;
    }
    throw new Error('the assertion held');
  }

  it('toHaveBeenHeldBy() finds the label of a holder', async () => {
    await contend('o-1', 5);
    expectLock('orders').toHaveBeenHeldBy('holder');
    expectLock('orders').toHaveBeenHeldBy('waiter');
    expect(failureOf(() => expectLock('orders').toHaveBeenHeldBy('Orders.place()'))).toBe(
      'expected the lock "orders" to have been held by "Orders.place()"; ' +
        'it was held 2 times: on "o-1" by "holder", on "o-1" by "waiter"',
    );
    expect(failureOf(() => expectLock('order').toHaveBeenHeldBy('holder'))).toBe(
      'expected the lock "order" to have been held by "holder"; ' +
        'it was never held (other locks of this recording: "orders")',
    );
  });

  it('toHaveBeenHeld() counts the holds', async () => {
    expectLock('orders').toHaveBeenHeld({ times: 0 });
    expect(failureOf(() => expectLock('orders').toHaveBeenHeld())).toBe(
      'expected the lock "orders" to have been held at least once; it was never held',
    );
    await bedrock.mutex('orders').run(() => undefined);
    expectLock('orders').toHaveBeenHeld();
    expectLock('orders').toHaveBeenHeld({ times: 1 });
    expect(failureOf(() => expectLock('orders').toHaveBeenHeld({ times: 2 }))).toBe(
      'expected the lock "orders" to have been held 2 times; it was held once: as a whole',
    );
  });

  it('toHaveBeenHeld() bounds the longest hold', async () => {
    await contend('o-1', 5);
    expectLock('orders').toHaveBeenHeld({ times: 2, maxHeldMs: 5 });
    expect(failureOf(() => expectLock('orders').toHaveBeenHeld({ maxHeldMs: 4.5 }))).toBe(
      'expected the lock "orders" to have been held for at most 4.5 ms each time; ' +
        'it was held on "o-1" by "holder" for 5 ms',
    );
  });

  it('toHaveWaited() bounds percentiles by the nearest rank', async () => {
    // 20 waits of 0 ms, and one of each of 1 to 20 ms.
    for (let ms = 1; ms <= 20; ms += 1) await contend(`o-${ms}`, ms);
    expectLock('orders').toHaveWaited({ p50Ms: 0, p95Ms: 18, p99Ms: 20, maxMs: 20 });
    expect(failureOf(() => expectLock('orders').toHaveWaited({ p50Ms: 0, p95Ms: 17.5 }))).toBe(
      'expected the lock "orders" to have a p95 of its waits of at most 17.5 ms; it was 18 ms, of 40 waits',
    );
    expect(failureOf(() => expectLock('orders').toHaveWaited({ maxMs: 19 }))).toBe(
      'expected the lock "orders" to have a longest wait of at most 19 ms; it was 20 ms, of 40 waits',
    );
  });

  it('toHaveWaited() counts a caller that still waits, and fails where none waited', async () => {
    expect(failureOf(() => expectLock('orders').toHaveWaited({ p99Ms: 1 }))).toBe(
      'expected the lock "orders" to have a p99 of its waits of at most 1 ms; no wait was recorded',
    );
    const held = await bedrock.mutex('orders').acquire();
    const waiting = bedrock.mutex('orders').acquire();
    await clock.advance(30);
    expect(failureOf(() => expectLock('orders').toHaveWaited({ p99Ms: 29 }))).toContain('it was 30 ms');
    await Promise.all([waiting.then((lease) => lease.release()), held.release()]);
  });

  it('toHaveBeenHeldInOrder() compares keys or labels with the grants', async () => {
    for (const key of ['b', 'a'])
      await recorder.as(`of ${key}`, () =>
        bedrock
          .mutex('orders')
          .for(key)
          .run(() => undefined),
      );
    expectLock('orders').toHaveBeenHeldInOrder(['b', 'a']);
    expectLock('orders').toHaveBeenHeldInOrder(['of b', 'of a']);
    expect(failureOf(() => expectLock('orders').toHaveBeenHeldInOrder(['a', 'b']))).toBe(
      'expected the lock "orders" to have been held in the order "a", "b"; ' +
        'it was held 2 times: on "b" by "of b", on "a" by "of a"',
    );
    expect(failureOf(() => expectLock('orders').toHaveBeenHeldInOrder(['b']))).toContain(' order "b"; ');
  });

  it('carries what was seen and expected as fields, and lists at most 20 holds', async () => {
    for (let n = 0; n < 21; n += 1) await bedrock.mutex('orders').run(() => undefined);
    try {
      expectLock('orders').toHaveBeenHeld({ times: 20 });
      throw new Error('the assertion held');
    } catch (error) {
      expect(error).toMatchObject({ actual: 21, expected: 20, operator: 'toHaveBeenHeld' });
      expect((error as Error).message).toMatch(/as a whole and 1 more$/);
    }
  });

  it.each([
    ['expected.time', () => expectLock('orders').toHaveBeenHeld({ time: 1 } as never)],
    ['times', () => expectLock('orders').toHaveBeenHeld({ times: 0.5 })],
    ['maxHeldMs', () => expectLock('orders').toHaveBeenHeld({ maxHeldMs: -1 })],
    ['bounds', () => expectLock('orders').toHaveWaited({})],
    ['bounds.p90Ms', () => expectLock('orders').toHaveWaited({ p90Ms: 1 } as never)],
    ['p99Ms', () => expectLock('orders').toHaveWaited({ p99Ms: NaN })],
  ])('refuses a bad %s', (field, assertion) => {
    expect(assertion).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', field }) as Error);
  });
});
