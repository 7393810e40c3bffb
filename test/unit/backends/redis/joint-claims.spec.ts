import type { Backend } from 'bedrock-lock';
import { FAIR_MUTEX, MUTEX, type Claim } from 'bedrock-lock/backend';
import { claimOf, eventually, FREE, granted, refusalOf } from 'bedrock-testkit';
import type { Redis } from 'ioredis';
import { CLAIM, CLAIM_ALL, REVOKE } from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
let db: Redis;

beforeAll(async () => {
  await fixture.start();
  db = fixture.observer;
});
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

interface Item {
  readonly lock: string;
  readonly id: string;
  readonly lease?: number;
  readonly notAfter?: number;
  readonly tokens?: number;
}

function keysOf(lock: string): string[] {
  return [lock, `bedrock_order:{${lock}}`, `bedrock_asks:{${lock}}`];
}

function argsOf({ id, lease = 10_000, notAfter = 9_999_999_999_999, tokens = 0 }: Item): (string | number)[] {
  return [id, lease, notAfter, tokens, 0];
}

/** The answer without the server's time. */
async function claimAll(...items: Item[]): Promise<unknown> {
  const keys = ['bedrock_token', ...items.flatMap(({ lock }) => keysOf(lock))];
  const reply = await db.eval(CLAIM_ALL.source, keys.length, ...keys, ...items.flatMap(argsOf), 1);
  return (reply as unknown[])[1];
}

async function claim(item: Item, queue = 0): Promise<unknown> {
  const keys = ['bedrock_token', ...keysOf(item.lock)];
  const args = [...argsOf(item).slice(0, 4), queue, 1];
  return ((await db.eval(CLAIM.source, keys.length, ...keys, ...args)) as unknown[])[1];
}

async function enqueue(lock: string, process: string, ageMs = 0): Promise<void> {
  const [seconds, micros] = await db.time();
  const now = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  await db.rpush(`bedrock_order:{${lock}}`, process);
  await db.hset(`bedrock_asks:{${lock}}`, process, now - ageMs);
}

const [A, B] = [
  { lock: 'a', id: 'p1:1' },
  { lock: 'b', id: 'p1:2' },
] as const;

describe('the script for several locks', () => {
  it('grants all of them in the format of RLock when all are free', async () => {
    expect(await claimAll({ ...A, lease: 4_000 }, { ...B, lease: 8_000 })).toEqual([1, 0, 0]);
    expect(await db.hgetall('a')).toEqual({ 'p1:1': '1' });
    expect(await db.hgetall('b')).toEqual({ 'p1:2': '1' });
    expect(await db.pttl('a')).toBeLessThanOrEqual(4_000);
    expect(await db.pttl('b')).toBeGreaterThan(7_000);
  });

  it('gives each lock a token of its own, above all that went before', async () => {
    const [, first, second] = (await claimAll({ ...A, tokens: 8 }, { ...B, tokens: 8 })) as number[];
    expect(second).toBe(first! + 8);
    const next = (await claim({ lock: 'c', id: 'p1:3', tokens: 1 })) as number;
    expect(next).toBeGreaterThanOrEqual(second! + 8);
  });

  it('touches none when one of them is held, whichever that is, and names its holder', async () => {
    for (const held of ['a', 'b', 'c']) {
      await claim({ lock: held, id: 'p2:1', lease: 5_000 });
      const [isGranted, item, retry, holder] = (await claimAll(A, B, { lock: 'c', id: 'p1:3' })) as unknown[];
      expect([isGranted, item, holder]).toEqual([0, 'abc'.indexOf(held) + 1, 'p2:1']);
      expect(retry).toBeGreaterThan(4_000);
      expect(await db.keys('*')).toEqual([held]);
      await db.flushall();
    }
  });

  it('says so of a lock that never expires', async () => {
    await db.hset('b', 'java:7', 1);
    expect(await claimAll(A, B)).toEqual([0, 2, -1, 'java:7']);
  });

  it('grants none when one request is stale', async () => {
    expect(await claimAll(A, { ...B, notAfter: 1 })).toBe(-1);
    expect(await claimAll({ ...A, notAfter: 1 }, B)).toBe(-1);
    expect(await db.keys('*')).toEqual([]);
  });

  it('may be repeated: it grants again, counts once and lowers no life', async () => {
    await claimAll({ ...A, lease: 9_000 }, B);
    await db.hset('a', 'p1:1', 3);
    expect(await claimAll({ ...A, lease: 1_000 }, { ...B, lease: 20_000 })).toEqual([1, 0, 0]);
    expect(await db.hgetall('a')).toEqual({ 'p1:1': '3' });
    expect(await db.pttl('a')).toBeGreaterThan(8_000);
    expect(await db.pttl('b')).toBeGreaterThan(19_000);
  });

  it('gives a revoked grant no new life', async () => {
    await claimAll(A, B);
    const keys = keysOf('a');
    await db.eval(REVOKE.source, keys.length, ...keys, 'atExpiry');
    expect(await claimAll(A, { ...B, lease: 30_000 })).toEqual([0, 1, expect.any(Number), 'p1:1']);
    expect(await db.pttl('b')).toBeLessThanOrEqual(10_000);
  });

  it('lets a process that is first in one of the queues go first', async () => {
    await enqueue('b', 'p2', 400);
    const [isGranted, item, retry, holder] = (await claimAll(A, B)) as unknown[];
    expect([isGranted, item, holder]).toEqual([0, 2, undefined]);
    expect(retry).toBeGreaterThan(500);
    expect(await db.exists('a')).toBe(0);
  });

  it('keeps the own place in a queue when it is refused, and takes it out when it is granted', async () => {
    await enqueue('a', 'p1');
    await claim({ lock: 'b', id: 'p2:1' });
    await claimAll(A, B);
    expect(await db.lrange('bedrock_order:{a}', 0, -1)).toEqual(['p1']);
    await db.del('b');
    expect(await claimAll(A, B)).toEqual([1, 0, 0]);
    expect(await db.keys('bedrock_*')).toEqual([]);
  });

  it('skips a dead process in a queue', async () => {
    await enqueue('b', 'dead', 1_001);
    expect(await claimAll(A, B)).toEqual([1, 0, 0]);
  });

  it('grants none when a key is of another type', async () => {
    await db.set('b', 'text');
    expect(await claimAll(A, B)).toMatch(/WRONGTYPE/);
    await db.del('b');
    await db.hset('b', { mode: 'read', 'u:1': 1 });
    expect(await claimAll(A, B)).toMatch(/a read-write lock/);
    expect(await db.exists('a')).toBe(0);
  });

  it('grants none when there is no token', async () => {
    await db.rpush('bedrock_token', 'junk');
    expect(await claimAll({ ...A, tokens: 1 }, { ...B, tokens: 1 })).toMatch(/WRONGTYPE/);
    expect(await db.exists('a', 'b')).toBe(0);
  });

  it('grants none on a server that is full', async () => {
    await db.config('SET', 'maxmemory', '1');
    try {
      await expect(claimAll(A, B)).rejects.toThrow(/OOM/);
      expect(await claimAll({ ...A, tokens: 1 }, { ...B, tokens: 1 })).toMatch(/OOM/);
      expect(await db.exists('a', 'b')).toBe(0);
    } finally {
      await db.config('SET', 'maxmemory', '0');
    }
  });
});

describe('claimAll of the driver', () => {
  let mine: Backend;
  let other: Backend;
  beforeEach(async () => {
    [mine, other] = [await fixture.backend({ label: 'mine' }), await fixture.backend()];
  });

  const claims = (backend: Backend, terms: Partial<Claim> = {}): Claim[] =>
    ['a', 'b'].map((resource) => claimOf(backend, resource, { queue: false, ...terms }));
  const all = (backend: Backend, ...args: [Partial<Claim>?]) =>
    backend.leases.claimAll!(claims(backend, ...args));

  it('grants and refuses as one, and names the holder in the way', async () => {
    const both = claims(mine, { tokens: 2 });
    const verdict = await mine.leases.claimAll!(both);
    expect(verdict).toEqual({ kind: 'granted', tokens: [expect.any(Number), expect.any(Number)] });
    expect(await all(other)).toMatchObject({ kind: 'refused', resource: 'a', holder: { id: both[0]!.id } });
    for (const claim of both) expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    expect(await all(other)).toMatchObject({ kind: 'granted' });
  });

  it('is stale when it comes too late', async () => {
    expect(await all(mine, { notAfter: performance.now() - 50 })).toEqual({ kind: 'stale' });
    expect(await db.exists('a', 'b')).toBe(0);
  });

  it('goes after the releases of the same tick', async () => {
    const held = await granted(mine, 'a');
    const [, verdict] = await Promise.all([mine.leases.withdraw(held, FREE), all(mine)]);
    expect(verdict.kind).toBe('granted');
  });

  it('is left to single claims where the locks are of several kinds, or of one that has no such script', async () => {
    const [a, b] = claims(mine) as [Claim, Claim];
    for (const shapes of [
      [MUTEX, FAIR_MUTEX],
      [FAIR_MUTEX, FAIR_MUTEX],
    ]) {
      // prettier-ignore
      const mixed = [a, b].map((claim, i) => ({ ...claim, shape: shapes[i]! }));
      expect(await mine.leases.claimAll!(mixed)).toEqual({ kind: 'separate' });
    }
  });

  it('works on a server that has forgotten its scripts', async () => {
    await db.script('FLUSH');
    expect(await all(mine)).toMatchObject({ kind: 'granted' });
  });

  it('connects by itself', async () => {
    expect(await all(fixture.unready())).toMatchObject({ kind: 'granted' });
  });

  it('takes tokens of each lock from its own counter where Redisson has one', async () => {
    const fenced = await fixture.backend({ tokens: 'perLock' });
    expect(await all(fenced, { tokens: 1 })).toMatchObject({ kind: 'granted' });
    expect((await db.keys('redisson_lock_token:*')).sort()).toEqual(['redisson_lock_token:{a}', 'redisson_lock_token:{b}']); // prettier-ignore
  });

  it('is refused by a server that may have lost data', async () => {
    const guarded = fixture.unready({ restartGuard: true, maxLeaseMs: 2_000 });
    await expect(all(guarded)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(await db.exists('a', 'b')).toBe(0);
  });

  it('keeps out a single claim, and is kept out by one', async () => {
    await all(mine);
    await eventually('the process of the holder is known', async () => {
      const { holder } = refusalOf(await other.leases.claim(claimOf(other, 'b')));
      return holder?.process?.label === 'mine';
    });
    expect(await all(other)).toMatchObject({ kind: 'refused', holder: { process: { label: 'mine' } } });
  });
});
