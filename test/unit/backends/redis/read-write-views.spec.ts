import { LOCK, ReadWriteScripts } from './read-write-scripts.js';

const rw = new ReadWriteScripts();
const CHANNEL = 'redisson_rwlock:{rw}';

beforeAll(() => rw.fixture.start());
afterEach(() => rw.clean());
afterAll(() => rw.fixture.stop());

describe('for people who look at a read-write lock', () => {
  it('an annotation shows the depth of the holder, and creates nothing', async () => {
    expect(await rw.annotate('p1:1', 2)).toBe(0);
    expect(await rw.keys()).toEqual([]);
    await rw.grant('p1:1');
    expect([await rw.annotate('p1:1', 2), await rw.annotate('p1:2', 5)]).toEqual([1, 0]);
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '2' });
    await rw.withdraw('p1:1');
    await rw.grant('p1:2:write');
    await rw.annotate('p1:2', 4);
    expect(await rw.hash()).toEqual({ mode: 'write', 'p1:2:write': '4' });
  });

  it('an inspection shows which holders are alive, what for, and how long', async () => {
    expect(await rw.inspect()).toEqual([]);
    await rw.grant('dead:1', { lease: 20 });
    await rw.grant('p1:1', { lease: 4_000 });
    await rw.revoke('atExpiry');
    await rw.readAsRedisson('java:7', [6_000, 5_000]);
    await rw.ended('dead:1');
    const facts = (await rw.inspect()) as (string | number)[];
    expect(facts).toEqual(['p1:1', '1', expect.any(Number), 1, 'java:7', '2', expect.any(Number), 0]);
    expect(facts[2]).toBeLessThanOrEqual(4_000);
    await rw.db.flushall();
    await rw.db.hset(LOCK, { mode: 'write', 'java:7:write': 2 });
    expect(await rw.inspect()).toEqual(['java:7:write', '2', -1, 0]);
  });

  it('a revocation now frees the lock, and tells its holders and the head of the queue', async () => {
    expect(await rw.revoke('now')).toBe(0);
    await rw.grant('p1:1');
    await rw.grant('p2:1');
    await rw.claim('p3:1:write');
    const heard = await rw.published(async () => expect(await rw.revoke('now')).toBe(1));
    expect(heard).toEqual([
      'bedrock_wake:p3 +rw',
      `${CHANNEL} 01`,
      'bedrock_wake:p1 !rw',
      'bedrock_wake:p2 !rw',
    ]);
    expect(await rw.keys()).not.toContain(LOCK);
    expect(await rw.db.exists(rw.hold('p1:1'), rw.hold('p2:1'))).toBe(0);
  });

  it('nothing is changed of a lock of another type', async () => {
    await rw.db.hset(LOCK, 'p1:1', 1);
    for (const act of [() => rw.inspect(), () => rw.revoke('now'), () => rw.revoke('atExpiry')])
      await expect(act()).rejects.toThrow('WRONGTYPE a mutex or another hash');
    expect([await rw.renew('p1:1'), await rw.renew('p1:1:write'), await rw.annotate('x:1', 2)]).toEqual([
      0, 0, 0,
    ]);
    expect(await rw.hash()).toEqual({ 'p1:1': '1' });
  });
});
