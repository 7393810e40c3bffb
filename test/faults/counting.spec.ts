import { isLockError, Bedrock, type CountingSemaphore } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { startProxy, type TcpProxy } from 'bedrock-servers';
import { eventually, liveness, ExclusionChecker } from 'bedrock-testkit';
import { readFileSync } from 'node:fs';
import { RedisFixture } from '../unit/backends/redis/fixture.js';
import { connect } from './connect.mjs';
import { delay } from './contest.js';
import { NETWORK_FAULTS } from './network-faults.js';

/** Bound on every call to Redis, ms. */
const OPERATION_MS = 200;

const fixture = new RedisFixture();
const bedrocks: Bedrock[] = [];
let proxy: TcpProxy;

beforeAll(() => fixture.start());
beforeEach(async () => {
  proxy = await startProxy(fixture.server.port);
});
afterEach(async () => {
  fixture.server.resume();
  await Promise.all(bedrocks.splice(0).map((bedrock) => bedrock.close({ graceMs: 0 })));
  await proxy.stop();
  await fixture.clean();
});
afterAll(() => fixture.stop());

async function peer(options: RedisOptions = {}): Promise<Bedrock> {
  const url = `redis://127.0.0.1:${proxy.port}`;
  const bedrock = new Bedrock({ backend: redis({ url, operationTimeoutMs: OPERATION_MS, ...options }) });
  bedrocks.push(bedrock);
  await connect(bedrock);
  return bedrock;
}

/** Prepares what the network is to disturb, in any time that a slow machine takes. */
const unhurried = (): Promise<Bedrock> => peer({ url: fixture.server.url, operationTimeoutMs: 5_000 });
const well = (): Promise<Bedrock> => peer({ url: fixture.server.url });
const number = async (key: string): Promise<number> => Number(await fixture.observer.get(key));

/** Everything that was changed has been answered. */
async function settled(bedrock: Bedrock): Promise<void> {
  await eventually('nothing is in flight', () => bedrock.stats().pendingWithdrawals === 0);
}

/** The code that a promise is rejected with, or what it gave. */
function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => {
    if (isLockError(error)) return error.code;
    throw error;
  });
}

/** Fails of the network at most: a slow machine needs more of them to see enough. */
const MOST_FAILS = 15;

/** Keeps callers at work while the network fails three times, and on until they have seen enough. */
async function underFault(
  isEnough: () => boolean,
  fault: () => Promise<void>,
  ...jobs: (() => Promise<void>)[]
): Promise<void> {
  let isOver = false;
  const working = jobs.map(async (job) => {
    while (!isOver) await job();
  });
  for (let i = 0; i < 3 || (i < MOST_FAILS && !isEnough()); i += 1) {
    // After the first three the pauses grow: a slow machine needs time to connect again, and to do something then.
    await delay(50 * Math.max(1, i - 1));
    await fault();
  }
  isOver = true;
  await Promise.all(working);
}

describe.each(Object.entries(NETWORK_FAULTS))('a network that %s', (_name, strike) => {
  const fault = (): Promise<void> => strike(proxy, OPERATION_MS);

  it('counts every count-down once, and answers every caller', async () => {
    const latch = (await peer()).countdownLatch('import', { waitMs: 20_000 });
    await (await unhurried()).countdownLatch('import').trySetCount(1_000_000);
    let counted = 0;
    const count = async (): Promise<void> => {
      await latch.countDown();
      counted += 1;
    };
    await underFault(() => counted > 15, fault, count, count, count, count, count);
    expect(counted).toBeGreaterThan(15);
    expect(await number('import')).toBe(1_000_000 - counted);
  });

  it('loses no permit and gives none twice, whether callers stay or leave', async () => {
    const [patient, hasty] = [await peer(), await peer()];
    const options = { waitMs: 20_000 };
    await (await unhurried()).countingSemaphore('pool').trySetPermits(5);
    const checker = new ExclusionChecker(5);
    let left = 0;
    const use = (bedrock: Bedrock, waitMs: number) => async (): Promise<void> => {
      const semaphore = bedrock.countingSemaphore('pool', options);
      if ((await outcome(semaphore.acquire(2, { waitMs }))) !== undefined) return void (left += 1);
      await checker.run(() => delay(1), { units: 2 });
      await semaphore.release(2);
    };
    await underFault(
      () => Math.min(checker.entered, left) > 3,
      fault,
      ...[1, 2].map(() => use(patient, 20_000)),
      ...[30, 60].map((ms) => use(hasty, ms)),
    );
    await Promise.all([patient, hasty].map(settled));
    expect(await number('pool')).toBe(5);
    checker.assertExclusion();
    expect(Math.min(checker.entered, left)).toBeGreaterThan(3);
  });

  it('leaves no permit with a lease behind, of callers that stay or leave', async () => {
    const [patient, hasty] = [await peer(), await peer()];
    const options = { waitMs: 20_000, leaseMs: Infinity };
    await (await unhurried()).expirableSemaphore('leased').trySetPermits(5);
    const checker = new ExclusionChecker(5);
    let left = 0;
    const use = (bedrock: Bedrock, waitMs: number) => async (): Promise<void> => {
      const permits = await bedrock
        .expirableSemaphore('leased', options)
        .acquireMany(2, { waitMs })
        .catch(() => []);
      if (permits.length === 0) return void (left += 1);
      await checker.run(() => delay(1), { units: 2 });
      for (const permit of permits) expect(await permit.release()).not.toBe('lost');
    };
    await underFault(
      () => Math.min(checker.entered, left) > 3,
      fault,
      ...[1, 2].map(() => use(patient, 20_000)),
      ...[30, 60].map((ms) => use(hasty, ms)),
    );
    await Promise.all([patient, hasty].map(settled));
    expect(await number('leased')).toBe(5);
    expect(await fixture.observer.exists('{leased}:timeout')).toBe(0);
    checker.assertExclusion();
    expect(Math.min(checker.entered, left)).toBeGreaterThan(3);
  });
});

describe('a Redis whose clients are killed', () => {
  it('wakes every waiter of a latch all the same', async () => {
    const [mine, other] = [await well(), await well()];
    const latch = mine.countdownLatch('import', { waitMs: 20_000 });
    await latch.trySetCount(1);
    const waiting = Array.from({ length: 100 }, () => latch.await());
    await eventually('they wait', () => mine.stats().watches === 1);
    for (const type of ['pubsub', 'normal'])
      await fixture.observer.call('client', 'kill', 'type', type, 'skipme', 'yes');
    await other.countdownLatch('import', { waitMs: 20_000 }).countDown();
    await Promise.all(waiting);
  });

  it('counts once while they are killed all the time', async () => {
    const [mine, other] = [await well(), await well()];
    const semaphores = [mine, other].map((one) => one.countingSemaphore('pool', { waitMs: 20_000 }));
    await semaphores[0]!.trySetPermits(4);
    let isOver = false;
    let turns = 0;
    const work = async (semaphore: CountingSemaphore): Promise<void> => {
      for (; !isOver; turns += 1) {
        await semaphore.acquire();
        await semaphore.release();
      }
    };
    const working = semaphores.flatMap((semaphore) => [work(semaphore), work(semaphore), work(semaphore)]);
    // The pauses grow, so that a slow machine gets something done between two of them.
    for (let kills = 0; kills < 12 || (turns <= 50 && kills < 40); kills += 1) {
      await fixture.observer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
      await delay(120 + 15 * kills);
    }
    isOver = true;
    await Promise.all(working);
    await Promise.all([mine, other].map(settled));
    expect(await number('pool')).toBe(4);
    expect(turns).toBeGreaterThan(50);
  });
});

describe('a Redis that is stopped', () => {
  it('answers every caller in time, and has leaked and counted nothing when it goes on', async () => {
    const bedrock = await well();
    const latch = bedrock.countdownLatch('import');
    const pool = bedrock.countingSemaphore('pool');
    const leased = bedrock.expirableSemaphore('leased', { leaseMs: Infinity });
    await latch.trySetCount(10);
    await pool.trySetPermits(5);
    await leased.trySetPermits(5);
    fixture.server.pause();
    const calls = await liveness.within('all answers', 2_000 + 300, () =>
      Promise.all(
        [
          pool.acquire(2, { waitMs: 2_000 }),
          pool.tryAcquire(),
          leased.acquireMany(2, { waitMs: 2_000 }),
          latch.await({ waitMs: 2_000 }),
          leased.tryAcquire(),
        ].map(outcome),
      ),
    );
    // A caller that only tries does not pass the waiters.
    const unavailable = 'BACKEND_UNAVAILABLE';
    expect(calls).toEqual([unavailable, false, unavailable, unavailable, null]);
    const counting = latch.countDown(3);
    fixture.server.resume();
    expect(await counting).toBe(7);
    await settled(bedrock);
    expect([await number('pool'), await number('leased'), await number('import')]).toEqual([5, 5, 7]);
  });

  it('executes nothing that waited for longer than its time', async () => {
    const bedrock = await well();
    const pool = bedrock.countingSemaphore('pool', { waitMs: 0 });
    await (await unhurried()).countingSemaphore('pool').trySetPermits(5);
    fixture.server.pause();
    expect(await outcome(pool.addPermits(3))).toBe('BACKEND_UNAVAILABLE');
    await delay(OPERATION_MS);
    fixture.server.resume();
    await eventually(
      'it serves again',
      async () => (await outcome(pool.availablePermits())) !== 'BACKEND_UNAVAILABLE',
    );
    await delay(OPERATION_MS);
    expect(await number('pool')).toBe(5);
  });

  it('or forgets its scripts, or restarts empty, and callers go on', async () => {
    const bedrock = await unhurried();
    const pool = bedrock.countingSemaphore('pool', { waitMs: 10_000 });
    await pool.trySetPermits(1);
    await fixture.observer.script('FLUSH');
    await pool.acquire();
    await fixture.observer.script('FLUSH');
    expect(await pool.release()).toBe('released');
    await fixture.server.restart();
    const waiting = pool.acquire();
    await pool.trySetPermits(1);
    await waiting;
  });
});

describe('a Redis that became a replica', () => {
  it('is left for a new connection, and nothing was executed', async () => {
    const bedrock = await unhurried();
    const pool = bedrock.countingSemaphore('pool', { failFast: true });
    await pool.trySetPermits(2);
    const reconnections: unknown[] = [];
    bedrock.backend.onSuspect((resource) => reconnections.push(resource));
    await fixture.observer.call('replicaof', '127.0.0.1', '1');
    try {
      await expect(pool.acquire()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
      await expect(pool.addPermits(1)).rejects.toMatchObject({ executed: 'no' });
    } finally {
      await fixture.observer.call('replicaof', 'no', 'one');
    }
    await eventually(
      'it serves again',
      async () => (await outcome(pool.acquire())) !== 'BACKEND_UNAVAILABLE',
    );
    await settled(bedrock);
    expect(await number('pool')).toBe(1);
    expect(reconnections).toContain(undefined);
  });
});

describe('a user with exactly the rights of the documentation', () => {
  afterEach(() => fixture.observer.call('acl', 'deluser', 'least'));

  it('may count and wait', async () => {
    const page = readFileSync(new URL('../../docs/backends/redis.md', import.meta.url), 'utf8');
    const rules = Array.from(page.matchAll(/```acl\n([^`]+)```/g), ([, recipe]) =>
      recipe!.trim().split(/\s+/),
    );
    // The third recipe is for operators, who list locks: counting must not need it.
    expect(rules).toHaveLength(3);
    const [locks, further] = rules as [string[], string[], string[]];
    await fixture.observer.call('acl', 'setuser', 'least', 'on', '>secret', ...locks, ...further);
    const url = `redis://least:secret@127.0.0.1:${fixture.server.port}`;
    const options = { url, operationTimeoutMs: 5_000 };
    const [mine, other] = [await peer(options), await peer(options)];
    const latch = mine.countdownLatch('shop:import');
    await latch.trySetCount(2);
    const waiting = other.countdownLatch('shop:import').await();
    await latch.countDown();
    await latch.countDown();
    await waiting;
    await latch.trySetCount(1);
    expect(await latch.delete()).toBe(true);
    const pool = mine.countingSemaphore('shop:pool');
    await pool.trySetPermits(2);
    await pool.acquire(2);
    expect(await other.countingSemaphore('shop:pool').tryAcquire()).toBe(false);
    expect(await pool.release(2)).toBe('released');
    expect([await pool.drainPermits(), await pool.addPermits(1), await pool.availablePermits()]).toEqual([
      2, 1, 1,
    ]);
    const hasty = new AbortController();
    const left = outcome(pool.acquire(1, { signal: hasty.signal }));
    hasty.abort();
    expect(await left).toBe('LOCK_ABORTED');
    await settled(mine);
    const leased = mine.expirableSemaphore('shop:leased');
    await leased.trySetPermits(1);
    const permit = await leased.acquire({ leaseMs: 10_000 });
    expect(await permit.extend(200)).toBe(true);
    const next = await other.expirableSemaphore('shop:leased').acquire();
    expect([await next.release(), await leased.availablePermits()]).toEqual(['released', 1]);
  });
});
