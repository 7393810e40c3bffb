import { QUEUE, LOCK, ReadWriteScripts } from './read-write-scripts.js';

const rw = new ReadWriteScripts();
const CHANNEL = 'redisson_rwlock:{rw}';
/** What the script takes for the same time. */
const SLACK_MS = 5;

beforeAll(() => rw.fixture.start());
afterEach(() => rw.clean());
afterAll(() => rw.fixture.stop());

describe('a withdraw', () => {
  it('of the last reader leaves nothing, and tells one waiter', async () => {
    await rw.grant('p1:1');
    expect(await rw.published(() => rw.withdraw('p1:1'))).toEqual([`${CHANNEL} 0`]);
    expect(await rw.keys()).toEqual([]);
    expect(await rw.withdraw('p1:1')).toBe(0);
  });

  it('of a writer leaves nothing, and tells all waiters', async () => {
    await rw.grant('p1:1:write');
    expect(await rw.published(() => rw.withdraw('p1:1'))).toEqual([`${CHANNEL} 1`]);
    expect(await rw.keys()).toEqual([]);
  });

  it('touches no grant of another claim', async () => {
    await rw.grant('p1:1');
    await rw.grant('p2:1');
    const before = await rw.hash();
    expect(await rw.withdraw('p3:1')).toBe(0);
    expect(await rw.hash()).toEqual(before);
    await rw.db.flushall();
    await rw.grant('p1:1:write');
    expect(await rw.withdraw('p1:2')).toBe(0);
    expect(await rw.hash()).toEqual({ mode: 'write', 'p1:1:write': '1' });
  });

  it('of one reader lets the hash live as long as the others, and no longer', async () => {
    await rw.grant('p1:1', { lease: 20_000 });
    await rw.grant('p2:1', { lease: 9_000 });
    await rw.readAsRedisson('java:7', [4_000, 6_000]);
    expect(await rw.published(() => rw.withdraw('p1:1'))).toEqual([]);
    const lifeOfHash = () => rw.db.pttl(LOCK);
    expect(await lifeOfHash()).toBeGreaterThan(8_000);
    expect(await lifeOfHash()).toBeLessThanOrEqual(9_000);
    await rw.withdraw('p2:1');
    expect(await lifeOfHash()).toBeGreaterThan(5_000);
    expect(await lifeOfHash()).toBeLessThanOrEqual(6_000);
    expect(await rw.hash()).toEqual({ mode: 'read', 'java:7': '2' });
  });

  it('of a reader that would have lived shorter changes nothing for the others', async () => {
    await rw.grant('p1:1', { lease: 20_000 });
    await rw.grant('p2:1', { lease: 9_000 });
    expect(await rw.withdraw('p2:1')).toBe(1);
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(19_000);
  });

  it('of the last reader that is alive frees the lock, whichever others died before', async () => {
    await rw.grant('dead:1', { lease: 20 });
    await rw.grant('p1:1', { lease: 9_000 });
    await rw.ended('dead:1');
    expect(await rw.published(() => rw.withdraw('p1:1'))).toEqual([`${CHANNEL} 0`]);
    expect(await rw.keys()).toEqual([]);
  });

  it('says that a reader had ended, and tidies it away', async () => {
    await rw.grant('p1:1', { lease: 20 });
    await rw.grant('p2:1', { lease: 9_000 });
    await rw.ended('p1:1');
    expect(await rw.withdraw('p1:1')).toBe(0);
    expect(await rw.hash()).toEqual({ mode: 'read', 'p2:1': '1' });
  });

  it('looks at no more readers than it needs, however many there are', async () => {
    const holders = Array.from({ length: 300 }, (_, i) => `p2:${i}`);
    for (const holder of holders) await rw.grant(holder);
    await rw.grant('p1:1', { lease: 20_000 });
    await rw.withdraw('p1:1');
    const ends = await Promise.all([LOCK, ...holders.map((id) => rw.hold(id))].map((key) => rw.endOf(key)));
    const [ofHash, ...ofReaders] = ends;
    // The time that is left is rounded to whole ms.
    expect(Math.abs(ofHash! - Math.max(...ofReaders))).toBeLessThanOrEqual(SLACK_MS);
  });

  it('of the last reader frees the lock, however long its hash was to live', async () => {
    await rw.grant('p1:1');
    // What a server does that has to wait in the middle of the script.
    await rw.db.pexpire(LOCK, 60_000);
    expect(await rw.published(() => rw.withdraw('p1:1'))).toEqual([`${CHANNEL} 0`]);
    expect(await rw.keys()).toEqual([]);
  });

  it('of the longest reader lets no other reader live shorter than the hash', async () => {
    await rw.grant('p2:1', { lease: 9_000 });
    await rw.grant('p1:1', { lease: 20_000 });
    await rw.withdraw('p1:1');
    expect(await rw.endOf(LOCK)).toBeLessThanOrEqual(await rw.endOf(rw.hold('p2:1')));
    expect(await rw.renew('p2:1', 30_000)).toBe(1);
    expect(await rw.endOf(LOCK)).toBeLessThanOrEqual(await rw.endOf(rw.hold('p2:1')));
  });

  it('keeps a grant for its least time, and no longer', async () => {
    await rw.grant('p1:1', { lease: 9_000 });
    await rw.grant('p2:1', { lease: 5_000 });
    expect(await rw.withdraw('p1:1', { keepMs: 7_000 })).toBe(1);
    expect(await rw.db.pttl(rw.hold('p1:1'))).toBeLessThanOrEqual(7_000);
    expect(await rw.db.pttl(LOCK)).toBeLessThanOrEqual(7_000);
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(6_000);
    await rw.withdraw('p1:1', { keepMs: 1_000 });
    expect(await rw.db.pttl(LOCK)).toBeLessThanOrEqual(5_000);
    await rw.db.flushall();
    await rw.grant('p1:1:write', { lease: 9_000 });
    expect(await rw.published(() => rw.withdraw('p1:1', { keepMs: 3_000 }))).toEqual([]);
    expect(await rw.db.pttl(LOCK)).toBeLessThanOrEqual(3_000);
    expect(await rw.claim('p2:1')).toHaveLength(2);
  });

  it('grants to the writer that is first, once the last reader has left', async () => {
    await rw.grant('p1:1');
    await rw.grant('p1:2');
    await rw.claim('p2:1:write', { queue: 2, tokens: 3 });
    await rw.claim('p3:1', { queue: 2 });
    expect(await rw.published(() => rw.withdraw('p1:1'))).toEqual([]);
    const heard = await rw.published(() => rw.withdraw('p1:2'));
    expect(heard).toEqual([expect.stringMatching(/^bedrock_wake:p2 =1 \d{16} 3 1000 \d+ rw$/)]);
    expect(await rw.hash()).toEqual({ mode: 'write', 'p2:1:write': '1' });
    expect(await rw.queue()).toEqual(['p3']);
  });

  it('grants to all readers that are first, for a second at most', async () => {
    await rw.grant('p1:1:write');
    await rw.claim('p2:1', { queue: 2, lease: 400 });
    await rw.claim('p3:1', { queue: 2 });
    await rw.claim('p4:1:write', { queue: 2 });
    await rw.claim('p5:1', { queue: 2 });
    const heard = await rw.published(() => rw.withdraw('p1:1'));
    expect(heard.map((message) => message.split(' ', 2).join(' '))).toEqual([
      'bedrock_wake:p2 =1',
      'bedrock_wake:p3 =1',
    ]);
    expect(await rw.hash()).toEqual({ mode: 'read', 'p2:1': '1', 'p3:1': '1' });
    expect(await rw.db.pttl(rw.hold('p2:1'))).toBeLessThanOrEqual(400);
    for (const key of [LOCK, rw.hold('p3:1')]) {
      expect(await rw.db.pttl(key)).toBeGreaterThan(500);
      expect(await rw.db.pttl(key)).toBeLessThanOrEqual(1_000);
    }
    expect(await rw.queue()).toEqual(['p4', 'p5']);
  });

  it.each([
    ['p1:1', '00'],
    ['p1:1:write', '01'],
  ])('of %s wakes a head that has to ask, and tells Redisson %s', async (holder, redissonMessage) => {
    await rw.grant(holder);
    await rw.claim('p2:1:write', { queue: 1 });
    const heard = await rw.published(() => rw.withdraw('p1:1'));
    expect(heard).toEqual(['bedrock_wake:p2 +rw', `${CHANNEL} ${redissonMessage}`]);
  });

  it('grants nothing while a client of Redisson waits, which is woken as well', async () => {
    await rw.grant('p1:1:write');
    await rw.claim('p2:1', { queue: 2 });
    await rw.waitAsRedisson();
    const heard = await rw.published(() => rw.withdraw('p1:1'));
    expect(heard).toEqual(['bedrock_wake:p2 +rw', `${CHANNEL} 01`]);
  });

  it('of a writer that waited lets in the readers behind it', async () => {
    await rw.grant('p1:1');
    await rw.claim('p2:1:write', { queue: 2 });
    await rw.claim('p3:1', { queue: 2 });
    await rw.withdraw('p2:1', { leave: 1 });
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '1', 'p3:1': '1' });
    expect(await rw.queue()).toEqual([]);
  });

  it('leaves a lock of another type alone, and its queue', async () => {
    await rw.db.hset(LOCK, 'p1:1', 1);
    await rw.enqueue('p2', 0, ' 5 9000 0');
    await rw.enqueue('p3', 0, ' 5 9000 0');
    expect(await rw.withdraw('p2:5', { leave: 1 })).toBe(0);
    expect(await rw.hash()).toEqual({ 'p1:1': '1' });
    expect(await rw.db.lrange(QUEUE, 0, -1)).toEqual(['p3']);
  });
});

describe('a renewal', () => {
  it('pushes the end of a reader and of the hash, and never lowers either', async () => {
    await rw.grant('p1:1', { lease: 2_000 });
    await rw.grant('p2:1', { lease: 8_000 });
    expect(await rw.renew('p1:1', 4_000)).toBe(1);
    expect(await rw.db.pttl(rw.hold('p1:1'))).toBeGreaterThan(3_000);
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(7_000);
    expect(await rw.renew('p1:1', 20_000)).toBe(1);
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(19_000);
    expect(await rw.renew('p1:1', 1_000)).toBe(1);
    for (const key of [LOCK, rw.hold('p1:1')]) expect(await rw.db.pttl(key)).toBeGreaterThan(19_000);
    expect(await rw.db.pttl(rw.hold('p2:1'))).toBeLessThanOrEqual(8_000);
  });

  it('pushes the end of a writer', async () => {
    await rw.grant('p1:1:write', { lease: 2_000 });
    expect(await rw.renew('p1:1:write', 9_000)).toBe(1);
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(8_000);
    expect(await rw.keys()).toEqual([LOCK]);
  });

  it('is lost without a grant, and creates nothing', async () => {
    for (const id of ['p1:1', 'p1:1:write']) expect(await rw.renew(id)).toBe(0);
    expect(await rw.keys()).toEqual([]);
    await rw.grant('p2:1', { lease: 2_000 });
    for (const id of ['p1:1', 'p1:1:write']) expect(await rw.renew(id, 9_000)).toBe(0);
    expect(await rw.db.pttl(LOCK)).toBeLessThanOrEqual(2_000);
  });

  it('of a reader that has ended is lost, though others keep the hash alive', async () => {
    await rw.grant('p1:1', { lease: 20 });
    await rw.grant('p2:1', { lease: 9_000 });
    await rw.ended('p1:1');
    expect(await rw.renew('p1:1', 20_000)).toBe(0);
    expect(await rw.db.pttl(LOCK)).toBeLessThanOrEqual(9_000);
  });

  it('is refused after a revocation, to the holders of that time', async () => {
    await rw.grant('p1:1', { lease: 2_000 });
    await rw.revoke('atExpiry');
    await rw.grant('p2:1', { lease: 9_000 });
    expect([await rw.renew('p1:1'), await rw.renew('p2:1')]).toEqual([2, 1]);
    expect(await rw.db.pttl(rw.hold('p1:1'))).toBeLessThanOrEqual(2_000);
    await rw.db.flushall();
    await rw.grant('p1:1:write', { lease: 2_000 });
    await rw.revoke('atExpiry');
    expect(await rw.renew('p1:1:write')).toBe(2);
    expect(await rw.db.pttl(LOCK)).toBeLessThanOrEqual(2_000);
    await rw.withdraw('p1:1');
    expect(await rw.keys()).toEqual([]);
  });

  it('of a writer as a reader lets it read on, with others beside it', async () => {
    await rw.grant('p1:1:write', { lease: 9_000 });
    await rw.annotate('p1:1', 3);
    await rw.claim('p2:1', { queue: 2 });
    await rw.claim('p3:1:write', { queue: 2 });
    expect(await rw.renew('p1:1', 1)).toBe(1);
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '3', 'p2:1': '1' });
    expect(await rw.db.pttl(rw.hold('p1:1'))).toBeGreaterThan(8_000);
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(8_000);
    expect(await rw.queue()).toEqual(['p3']);
    expect(await rw.renew('p1:1', 1)).toBe(1);
    expect(await rw.renew('p1:1:write', 20_000)).toBe(1);
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '3', 'p2:1': '1' });
    expect(await rw.db.pttl(rw.hold('p1:1'))).toBeGreaterThan(19_000);
  });

  it('of a writer as a reader tells every listener where the queue is empty', async () => {
    await rw.grant('p1:1:write');
    expect(await rw.published(() => rw.renew('p1:1'))).toEqual([`${CHANNEL} 1`]);
    expect(await rw.published(() => rw.renew('p1:1'))).toEqual([]);
  });

  it('of a revoked writer as a reader lets it read on to its end', async () => {
    await rw.grant('p1:1:write', { lease: 2_000 });
    await rw.revoke('atExpiry');
    expect(await rw.renew('p1:1')).toBe(2);
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '1' });
    expect(await rw.db.pttl(rw.hold('p1:1'))).toBeLessThanOrEqual(2_000);
    expect(await rw.renew('p1:1')).toBe(2);
  });
});
