import { Bedrock, LockTypeMismatchError, type Backend } from 'bedrock-lock';
import { READER, READERS, WRITER, type Claim, type Wake } from 'bedrock-lock/backend';
import {
  claimOf,
  eventually,
  FaultyBackend,
  FREE,
  granted,
  refusalOf,
  ExclusionChecker,
} from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
let mine: Backend;
let other: Backend;
let java: Redis | undefined;

beforeAll(() => fixture.start());
beforeEach(async () => {
  mine = await fixture.backend({ label: 'orders' });
  other = await fixture.backend();
});
afterEach(async () => {
  java?.disconnect();
  await fixture.clean();
});
afterAll(() => fixture.stop());

const toRead = (backend: Backend, terms: Partial<Claim> = {}): Promise<Claim> =>
  granted(backend, 'rw', { shape: READER, ...terms });
const toWrite = (backend: Backend, terms: Partial<Claim> = {}): Promise<Claim & { token: number }> =>
  granted(backend, 'rw', { shape: WRITER, tokens: 1, ...terms });

/** A claim of the other process that was refused and is in the queue, and what its process hears from then on. */
async function queued(terms: Partial<Claim>): Promise<{ claim: Claim; heard: (Wake | undefined)[] }> {
  const heard: (Wake | undefined)[] = [];
  const claim = claimOf(other, 'rw', { mayPush: true, ...terms });
  await other.leases.watch('rw', claim.shape, (wake) => heard.push(wake));
  refusalOf(await other.leases.claim(claim));
  return { claim, heard };
}

describe('a read-write lock on Redis', () => {
  it.each([READER, WRITER])(
    'takes one request for the claim and one for the withdraw, and leaves nothing',
    async (shape) => {
      // The scripts are loaded by their first use.
      await mine.leases.withdraw(await granted(mine, 'rw', { shape }), FREE);
      const before = mine.commands;
      const claim = await granted(mine, 'rw', { shape });
      expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
      expect(mine.commands - before).toBe(2);
      expect(await fixture.observer.keys('*rw*')).toEqual([]);
    },
  );

  it.each(['订单:7', 'Straße {ü}', 'a{b}c'])('serves a lock of any name: %s', async (name) => {
    const reader = await granted(mine, name, { shape: READER });
    expect(await fixture.observer.hkeys(name)).toEqual(['mode', reader.id]);
    expect(await mine.leases.renew([{ ...reader, keepMs: 0 }])).toEqual(['renewed']);
    expect(await mine.leases.withdraw(reader, FREE)).toBe('released');
    const writer = await granted(mine, name, { shape: WRITER });
    expect(await mine.leases.renew([{ ...writer, keepMs: 0, shape: READER }])).toEqual(['renewed']);
    expect(await fixture.observer.hkeys(name)).toEqual(['mode', writer.id]);
    expect(await mine.leases.withdraw(writer, FREE)).toBe('released');
    expect(await fixture.observer.keys('*')).not.toContain(name);
  });

  it('shows its holders with their processes', async () => {
    const reader = await toRead(mine);
    mine.leases.annotate(reader, { depth: 3 });
    await eventually('the annotation', async () => (await fixture.observer.hget('rw', reader.id)) === '3');
    const [view, ...more] = await other.leases.inspect('rw', READER);
    expect(more).toEqual([]);
    expect(view).toMatchObject({ id: reader.id, resource: 'rw', mode: 'shared', units: 1, depth: 3 });
    expect(view).toMatchObject({ revoked: false, process: { label: 'orders' } });
    expect(view!.remainingMs).toBeGreaterThan(9_000);
    await mine.leases.withdraw(reader, FREE);
    const writer = await toWrite(mine);
    expect(await other.leases.inspect('rw', WRITER)).toMatchObject([
      { id: writer.id, mode: 'exclusive', units: READERS },
    ]);
  });

  it('refuses a waiting claim and names the holder in the way', async () => {
    const writer = await toWrite(mine);
    await other.leases.inspect('rw', WRITER);
    const refused = refusalOf(await other.leases.claim(claimOf(other, 'rw', { shape: READER })));
    expect(refused.holder).toMatchObject({ id: writer.id, process: { label: 'orders' } });
  });

  it('takes tokens from the counter of Redisson where configured to', async () => {
    const own = await fixture.backend({ tokens: 'perLock' });
    const first = await toWrite(own, { tokens: 4 });
    await own.leases.withdraw(first, FREE);
    const second = await toWrite(own);
    expect(second.token).toBeGreaterThan(first.token + 3);
    expect(Number(await fixture.observer.get('redisson_lock_token:{rw}'))).toBeGreaterThanOrEqual(
      second.token,
    );
    await own.leases.withdraw(second, FREE);
  });

  it('grants nothing while the server may have lost data', async () => {
    const guarded = await fixture.backend({ restartGuard: true, maxLeaseMs: 5_000 });
    for (const shape of [READER, WRITER])
      await expect(guarded.leases.claim(claimOf(guarded, 'rw', { shape }))).rejects.toThrow('quarantined');
    expect(await fixture.observer.exists('rw')).toBe(0);
  });
});

describe('a release', () => {
  it('grants to the readers that are first in the queue, and tells them', async () => {
    const writer = await toWrite(mine);
    const { claim, heard } = await queued({ shape: READER });
    await mine.leases.withdraw(writer, FREE);
    await eventually('a wake', () => heard.length > 0);
    expect(heard).toMatchObject([{ claimId: claim.id, grant: { token: 0, leaseMs: 1_000 } }]);
    expect(await other.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['renewed']);
    expect(await other.leases.withdraw(claim, FREE)).toBe('released');
  });

  it('grants to the writer that is first in the queue, with tokens', async () => {
    const before = await toWrite(mine);
    await mine.leases.withdraw(before, FREE);
    const reader = await toRead(mine);
    const { claim, heard } = await queued({ shape: WRITER, tokens: 5 });
    await mine.leases.withdraw(reader, FREE);
    await eventually('a wake', () => heard.length > 0);
    expect(heard[0]).toMatchObject({ claimId: claim.id, grant: { tokens: 5 } });
    expect(heard[0]!.grant!.token).toBeGreaterThan(before.token);
  });

  it.each([
    ['reading', READER, '00'],
    ['writing', WRITER, '01'],
  ])(
    'of %s tells clients of Redisson, and does not wake those of Bedrock for nothing',
    async (_, shape, redissonMessage) => {
      const held = await granted(mine, 'rw', { shape });
      java = new Redis(fixture.server.port);
      const heardByJava: string[] = [];
      java.on('message', (_channel, message) => heardByJava.push(message));
      await java.subscribe('redisson_rwlock:{rw}');
      const third = await fixture.backend();
      const heardByThird: unknown[] = [];
      await third.leases.watch('rw', READER, (wake) => heardByThird.push(wake));
      const { heard } = await queued({ shape: WRITER });
      await mine.leases.withdraw(held, FREE);
      await eventually('a wake, and a message', () => heard.length > 0 && heardByJava.length > 0);
      let isLater = false;
      await third.leases.watch('later', READER, () => (isLater = true));
      await fixture.observer.publish('redisson_rwlock:{later}', '0');
      await eventually('what was published later', () => isLater);
      expect([heard.length, heardByJava, heardByThird.length]).toEqual([1, [redissonMessage], 0]);
    },
  );

  it('wakes every process of Bedrock that listens where the queue is empty', async () => {
    const heard: unknown[] = [];
    await other.leases.watch('rw', READER, () => heard.push(1));
    for (const shape of [READER, WRITER])
      await mine.leases.withdraw(await granted(mine, 'rw', { shape }), FREE);
    await eventually('two wakes', () => heard.length === 2);
  });
});

it('takes no harm when every request arrives twice', async () => {
  const doubled = [mine, other].map((backend) => {
    const twice = new FaultyBackend(backend);
    for (const verb of ['claim', 'withdraw', 'renew'] as const)
      twice.plan(verb, { kind: 'double' }, Infinity);
    return new Bedrock({ backend: twice, defaults: { leaseMs: 2_000, waitMs: 15_000 } });
  });
  const checker = new ExclusionChecker(READERS);
  const work = (units: number) => () =>
    checker.run(() => new Promise((resolve) => setTimeout(resolve, 5)), { units });
  const tasks = Array.from({ length: 40 }, (_, i) => {
    const { read, write } = doubled[i % 2]!.readWriteLock('twice');
    return i % 5 === 0 ? write.run(work(READERS)) : read.run(work(1));
  });
  await Promise.all(tasks);
  expect(checker.assertExclusion().leases).toBe(40);
  expect(checker.peak).toBeGreaterThan(1);
  await eventually('an empty server', async () => (await fixture.observer.keys('*twice*')).length === 0);
  await Promise.all(doubled.map((bedrock) => bedrock.close()));
});

describe('locks of different types on one name', () => {
  it('are distinguished, with an error that names the type found', async () => {
    const [one, two] = [new Bedrock({ backend: mine }), new Bedrock({ backend: other })];
    const mutex = await one.mutex('x').acquire();
    const rw = two.readWriteLock('x');
    for (const attempt of [rw.read.acquire(), rw.write.acquire(), rw.read.inspect(), rw.write.revoke()])
      await expect(attempt).rejects.toMatchObject({
        code: 'LOCK_TYPE_MISMATCH',
        resource: 'x',
        detail: 'a mutex or another hash',
      });
    await mutex.release();
    await rw.read.run(async () => {
      await expect(one.mutex('x').acquire()).rejects.toThrow(LockTypeMismatchError);
      await expect(one.mutex('x').acquire()).rejects.toThrow('a read-write lock');
    });
    await fixture.observer.set('text', 'no lock');
    await expect(two.readWriteLock('text').read.acquire()).rejects.toMatchObject({
      detail: 'another type of key',
    });
    await Promise.all([one.close(), two.close()]);
  });

  it('lose what was overwritten, and leave the new value alone', async () => {
    const reader = await toRead(mine);
    await fixture.observer.set('rw', 'overwritten');
    expect(await mine.leases.renew([{ ...reader, keepMs: 0 }])).toEqual(['lost']);
    expect(await mine.leases.withdraw(reader, FREE)).toBe('absent');
    expect(await fixture.observer.get('rw')).toBe('overwritten');
  });
});
