import { Bedrock, type Clock } from 'bedrock-lock';
import { systemClock } from 'bedrock-lock/integration';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { eventually, liveness } from 'bedrock-testkit';
import { published } from './published-messages.js';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
const bedrocks: Bedrock[] = [];

beforeAll(() => fixture.start());
afterEach(async () => {
  await Promise.all(bedrocks.splice(0).map((bedrock) => bedrock.close({ graceMs: 0 })));
  await fixture.clean();
});
afterAll(() => fixture.stop());

async function peer(options: RedisOptions = {}): Promise<Bedrock> {
  const backend = redis({ url: fixture.server.url, ...options });
  const bedrock = new Bedrock({ backend, ...(options.clock && { clock: options.clock }) });
  bedrocks.push(bedrock);
  await bedrock.ready();
  return bedrock;
}

/** What Bedrock publishes while `act` runs. */
function told(act: () => Promise<unknown>): Promise<string[]> {
  return published(fixture.server.port, act);
}

/** Keys without those of Bedrock's processes. */
async function keys(): Promise<string[]> {
  return (await fixture.observer.keys('*')).filter((key) => !key.startsWith('bedrock_process:')).sort();
}

it('the first try after a long time is answered, though the clock of the server is known no more', async () => {
  let setForwardMs = 0;
  const wall = (): number => systemClock.wall() + setForwardMs;
  const clock: Clock = { ...systemClock, wall, sinceBoot: () => undefined };
  const bedrock = await peer({ clock });
  const latch = bedrock.countdownLatch('latch', { failFast: true });
  const counting = bedrock.countingSemaphore('counting');
  const expirable = bedrock.expirableSemaphore('expirable');
  await Promise.all([latch.trySetCount(9), counting.trySetPermits(9), expirable.trySetPermits(9)]);
  const uses: (() => Promise<unknown>)[] = [
    () => latch.countDown(),
    () => counting.tryAcquire(),
    () => expirable.tryAcquire(),
  ];
  for (const use of uses) {
    // As long as 150 times its time-out.
    setForwardMs += 150 * bedrock.backend.operationTimeoutMs;
    expect(await use()).toBeTruthy();
  }
});

describe("a latch, as Redisson's RCountDownLatch has it", () => {
  it('is a number under its name, gone at zero, and told of by digits', async () => {
    const latch = (await peer()).countdownLatch('shop:import');
    const channel = 'redisson_countdownlatch__channel__{shop:import}';
    expect(await told(() => latch.trySetCount(3))).toEqual([`${channel} 1`]);
    expect(await fixture.observer.get('shop:import')).toBe('3');
    expect(await told(() => latch.countDown(2))).toEqual([]);
    expect(await fixture.observer.get('shop:import')).toBe('1');
    expect(await told(() => latch.countDown())).toEqual([`${channel} 0`]);
    expect(await fixture.observer.exists('shop:import')).toBe(0);
    expect(await told(() => latch.countDown())).toEqual([]);
    await latch.trySetCount(3);
    expect(await told(() => latch.delete())).toEqual([`${channel} 0`]);
  });

  it('wraps a name with braces once more', async () => {
    const latch = (await peer()).countdownLatch('{shop}:import');
    expect(await told(() => latch.trySetCount(1))).toEqual([
      'redisson_countdownlatch__channel__{{shop}:import} 1',
    ]);
    expect((await keys())[1]).toMatch(/^\{shop\}:import:bedrock_op:[0-9a-f-]{36}:1$/);
  });

  it('lets 1000 callers of a process wait and pass for five commands', async () => {
    const [mine, other] = [await peer(), await peer()];
    await other.countdownLatch('import').trySetCount(1);
    const before = mine.backend.commands;
    const latch = mine.countdownLatch('import');
    const waiting = Array.from({ length: 1_000 }, () => latch.await());
    await eventually('they wait', () => mine.stats().watches === 1 && mine.backend.commands - before >= 3);
    await other.countdownLatch('import').countDown();
    await Promise.all(waiting);
    expect(mine.backend.commands - before).toBeLessThanOrEqual(5);
  });

  it('keeps an expiry that another client set on the number', async () => {
    const latch = (await peer()).countdownLatch('import');
    await fixture.observer.set('import', 3, 'PX', 60_000);
    await latch.countDown();
    expect(await fixture.observer.pttl('import')).toBeGreaterThan(50_000);
  });
});

describe("a counting semaphore, as Redisson's RSemaphore has it", () => {
  it('is a number under its name, and its messages say how many are free', async () => {
    const semaphore = (await peer()).countingSemaphore('pool');
    const channel = 'redisson_sc:{pool}';
    expect(await told(() => semaphore.trySetPermits(3))).toEqual([`${channel} 3`]);
    expect(await told(() => semaphore.acquire(2))).toEqual([]);
    expect(await fixture.observer.get('pool')).toBe('1');
    expect(await told(() => semaphore.release(2))).toEqual([`${channel} 3`]);
    expect(await told(() => semaphore.addPermits(2))).toEqual([`${channel} 5`]);
    expect(await told(() => semaphore.addPermits(-7))).toEqual([]);
    expect(await fixture.observer.get('pool')).toBe('-2');
    // No waiter can be served, and Redisson's waiters cannot read a number below zero.
    expect(await told(() => semaphore.release())).toEqual([]);
    expect(await semaphore.addPermits(4)).toBe(3);
    expect(await told(() => semaphore.drainPermits())).toEqual([]);
    expect(await fixture.observer.get('pool')).toBe('0');
  });

  it('uses a name with a brace as its own hash tag', async () => {
    const semaphore = (await peer()).countingSemaphore('{pool}:db');
    expect(await told(() => semaphore.trySetPermits(1))).toEqual(['redisson_sc:{pool}:db 1']);
  });

  it('asks for many callers of a process in one command', async () => {
    const mine = await peer();
    const semaphore = mine.countingSemaphore('pool');
    await semaphore.trySetPermits(100);
    await semaphore.acquire();
    const before = mine.backend.commands;
    await Promise.all(Array.from({ length: 64 }, () => semaphore.acquire()));
    expect(mine.backend.commands - before).toBe(2);
    expect(await semaphore.availablePermits()).toBe(35);
  });
});

describe("an expirable semaphore, as Redisson's RPermitExpirableSemaphore has it", () => {
  const NEVER = '922337203685477';

  /** Permits in hex, with the end of their leases. */
  async function leases(key: string): Promise<Map<string, string>> {
    const reply = await fixture.observer.zrangeBuffer(key, '0', '-1', 'WITHSCORES');
    const found = new Map<string, string>();
    for (let i = 0; i < reply.length; i += 2) {
      expect(reply[i]).toHaveLength(16);
      found.set(reply[i]!.toString('hex'), reply[i + 1]!.toString());
    }
    return found;
  }

  it('keeps 16 raw bytes for each permit, by the end of its lease', async () => {
    const semaphore = (await peer()).expirableSemaphore('pool');
    const channel = 'redisson_sc:{pool}';
    expect(await told(() => semaphore.trySetPermits(650))).toEqual([`${channel} 650`]);
    // So many that every byte turns up in one of them: 9,600 random bytes lack one in 1 of 10^14 runs.
    const permits = await semaphore.acquireMany(600, { leaseMs: 20_000 });
    const kept = await leases('{pool}:timeout');
    expect([...kept.keys()].sort()).toEqual(permits.map(({ id }) => id).sort());
    const bytes = new Set(permits.flatMap(({ id }) => [...Buffer.from(id, 'hex')]));
    expect(bytes.size).toBe(256);
    for (const end of kept.values()) {
      expect(Number(end)).toBeGreaterThan(Date.now() + 15_000);
      expect(Number(end)).toBeLessThanOrEqual(Date.now() + 20_000);
    }
    expect(await fixture.observer.get('pool')).toBe('50');
    const [first] = permits;
    expect(await told(() => first!.release())).toEqual([`${channel} 51`]);
    expect(await semaphore.extend(permits[1]!.id, Infinity)).toBe(true);
    const after = await leases('{pool}:timeout');
    expect(after.has(first!.id)).toBe(false);
    expect(Number(after.get(permits[1]!.id))).toBe(Number(NEVER));
  });

  it('releases and extends permits of Redisson, and tells when it takes back one that has ended', async () => {
    const semaphore = (await peer()).expirableSemaphore('pool');
    const raw = Array.from({ length: 3 }, (_, i) =>
      Buffer.from('00ff80c3280d0a7b7d250000000000'.concat(`0${i}`), 'hex'),
    );
    await fixture.observer.set('pool', 0);
    for (const id of raw) await fixture.observer.zadd('{pool}:timeout', NEVER, id);
    await expect(semaphore.acquire({ waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    expect(await semaphore.release(raw[0]!.toString('hex'))).toBe('released');
    expect(await semaphore.availablePermits()).toBe(1);
    expect(await semaphore.extend(raw[1]!.toString('hex'), 60)).toBe(true);
    await eventually(
      'the end of the lease',
      async () => Number((await leases('{pool}:timeout')).get(raw[1]!.toString('hex'))) < Date.now(),
    );
    expect(await told(() => semaphore.availablePermits())).toEqual(['redisson_sc:{pool} 2']);
    expect([...(await leases('{pool}:timeout')).keys()]).toEqual([raw[2]!.toString('hex')]);
  });

  it('tells others of what it took back and did not need', async () => {
    const semaphore = (await peer()).expirableSemaphore('pool');
    await semaphore.trySetPermits(3);
    await semaphore.acquireMany(3, { leaseMs: 50 });
    await eventually('the end of the leases', async () =>
      [...(await leases('{pool}:timeout')).values()].every((end) => Number(end) < Date.now()),
    );
    expect(await told(() => semaphore.acquire())).toEqual(['redisson_sc:{pool} 2']);
  });

  it('gives the leases the expiry that another client set on the number', async () => {
    const semaphore = (await peer()).expirableSemaphore('pool');
    await fixture.observer.set('pool', 3, 'PX', 60_000);
    await semaphore.acquire();
    expect(await fixture.observer.pttl('{pool}:timeout')).toBeGreaterThan(50_000);
  });

  it('asks once more when the next lease ends, and not before', async () => {
    const [one, other] = [await peer(), await peer()];
    await one.expirableSemaphore('pool').trySetPermits(1);
    const askedAt = performance.now();
    await one.expirableSemaphore('pool').acquire({ leaseMs: 400 });
    const semaphore = other.expirableSemaphore('pool');
    const before = other.backend.commands;
    await liveness.within('a permit whose lease ended', 550, () => semaphore.acquire());
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(400);
    // Asked, subscribed, asked again, and once at the end; a script that the server does not know is sent twice.
    expect(other.backend.commands - before).toBeLessThanOrEqual(5);
  });
});

describe('the stored answer of a change', () => {
  it('is gone soon after the answer', async () => {
    const semaphore = (await peer()).countingSemaphore('pool');
    await semaphore.trySetPermits(3);
    await semaphore.acquire();
    await semaphore.release();
    const answerKeys = (await keys()).filter((key) => key.includes('bedrock_op'));
    expect(answerKeys).toHaveLength(3);
    for (const answerKey of answerKeys)
      expect(await fixture.observer.pttl(answerKey)).toBeGreaterThan(300_000);
    await eventually('the stored answers are deleted', async () => (await keys()).length === 1);
  });

  it('is gone after a close', async () => {
    const mine = await peer();
    const semaphore = mine.expirableSemaphore('pool');
    await semaphore.trySetPermits(1);
    await (await semaphore.acquire()).release();
    expect(await keys()).toHaveLength(3);
    await mine.close();
    expect(await keys()).toEqual(['pool']);
  });

  it('stays while an earlier request of its operation may yet come', async () => {
    const backend = await fixture.backend();
    const counter = { kind: 'semaphore', resource: 'pool' } as const;
    const operation = { id: 'op', notAfter: performance.now() + 2_500, keepMs: 60_000 };
    await backend.counters!.add(counter, 1, { ...operation, attempt: 2 });
    await backend.counters!.add(counter, 1, { ...operation, id: 'other', attempt: 1 });
    await eventually('the other stored answer is deleted', async () => (await keys()).length === 2);
    expect(await backend.counters!.add(counter, 1, { ...operation, attempt: 1 })).toBe(1);
    expect(await fixture.observer.get('pool')).toBe('2');
  });
});

describe('a name that holds something else', () => {
  it.each([
    ['a list', () => fixture.observer.rpush('pool', 'x')],
    ['a text', () => fixture.observer.set('pool', 'hello')],
    ['a fraction', () => fixture.observer.set('pool', '1.5')],
    ['what no script can count', () => fixture.observer.set('pool', '99999999999999999999')],
    ['a number that Redis cannot add to', () => fixture.observer.set('pool', '007')],
  ])('is refused and left alone: %s', async (_what, put) => {
    await put();
    const bedrock = await peer();
    const [latch, counting, expirable] = [
      bedrock.countdownLatch('pool'),
      bedrock.countingSemaphore('p').for('x'),
      bedrock.expirableSemaphore('e').for('x'),
    ];
    await fixture.observer.copy('pool', 'p:x');
    await fixture.observer.copy('pool', 'e:x');
    const calls = [
      () => latch.trySetCount(1),
      () => latch.countDown(),
      () => latch.delete(),
      () => counting.trySetPermits(1),
      () => counting.acquire(),
      () => counting.release(),
      () => counting.drainPermits(),
      () => expirable.trySetPermits(1),
      () => expirable.acquire(),
      () => expirable.release('0'.repeat(32)),
      () => expirable.extend('0'.repeat(32)),
      () => expirable.availablePermits(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'LOCK_TYPE_MISMATCH' });
    expect(await keys()).toEqual(['e:x', 'p:x', 'pool']);
  });

  it('is refused where only the leases are something else', async () => {
    await fixture.observer.set('pool', 3);
    await fixture.observer.set('{pool}:timeout', 'x');
    const semaphore = (await peer()).expirableSemaphore('pool');
    await expect(semaphore.acquire()).rejects.toMatchObject({ code: 'LOCK_TYPE_MISMATCH', resource: 'pool' });
  });
});
