import { eventually } from 'bedrock-testkit';
import { RW_CLAIM } from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { ASKS, QUEUE, LOCK, ReadWriteScripts } from './read-write-scripts.js';

const rw = new ReadWriteScripts();

beforeAll(() => rw.fixture.start());
afterEach(() => rw.clean());
afterAll(() => rw.fixture.stop());

describe('a claim to read', () => {
  it('writes what Redisson writes', async () => {
    expect(await rw.claim('p1:1', { lease: 4_000 })).toBe(0);
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '1' });
    expect(await rw.db.get(rw.hold('p1:1'))).toBe('1');
    for (const key of [LOCK, rw.hold('p1:1')]) {
      expect(await rw.db.pttl(key)).toBeGreaterThan(3_000);
      expect(await rw.db.pttl(key)).toBeLessThanOrEqual(4_000);
    }
    expect(await rw.keys()).toEqual([LOCK, rw.hold('p1:1')].sort());
  });

  it('names the string of a reader by the rule of Redisson where the name has a brace', async () => {
    const keys = ['bedrock_token', 'x{7}', 'bedrock_order::x{7}', 'bedrock_asks::x{7}'];
    await rw.run(RW_CLAIM, keys, 'p1:1', 1_000, 9_999_999_999_999, 0, 1, 1);
    expect(await rw.keys()).toEqual(['x{7}', 'x{7}:p1:1:rwlock_timeout:1']);
  });

  it('lets readers in beside each other, and never lowers the life of the hash', async () => {
    await rw.grant('p1:1', { lease: 9_000 });
    await rw.grant('p2:1', { lease: 1_000 });
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '1', 'p2:1': '1' });
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(8_000);
    expect(await rw.db.pttl(rw.hold('p2:1'))).toBeLessThanOrEqual(1_000);
    await rw.grant('p3:1', { lease: 20_000 });
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(19_000);
  });

  it('is refused while a writer of Bedrock or of Redisson holds the lock', async () => {
    await rw.grant('p1:1:write', { lease: 4_000 });
    const [retry, holder] = (await rw.claim('p2:1')) as [number, string];
    expect(retry).toBeGreaterThan(3_000);
    expect(holder).toBe('p1:1');
    expect(await rw.queue()).toEqual(['p2']);
    await rw.db.del(LOCK, QUEUE, ASKS);
    await rw.db.hset(LOCK, { mode: 'write', 'java:7:write': 1 });
    await rw.db.pexpire(LOCK, 5_000);
    expect(await rw.claim('p2:2')).toMatchObject([expect.any(Number), 'java:7']);
  });

  it('leaves no trace of a claim that does not want to join the queue', async () => {
    await rw.grant('p1:1:write');
    await rw.claim('p2:1', { queue: 0 });
    expect(await rw.keys()).toEqual([LOCK]);
  });

  it('is granted a repeat, which lowers nothing', async () => {
    await rw.grant('p1:1', { lease: 9_000 });
    await rw.grant('p1:1', { lease: 1_000 });
    for (const key of [LOCK, rw.hold('p1:1')]) expect(await rw.db.pttl(key)).toBeGreaterThan(8_000);
    await rw.grant('p1:1', { lease: 20_000 });
    for (const key of [LOCK, rw.hold('p1:1')]) expect(await rw.db.pttl(key)).toBeGreaterThan(19_000);
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '1' });
  });

  it('is not granted a repeat after the grant was revoked', async () => {
    await rw.grant('p1:1');
    await rw.revoke('atExpiry');
    expect(await rw.claim('p1:1', { lease: 20_000 })).toMatchObject([expect.any(Number), 'p1:1']);
    expect(await rw.db.get(rw.hold('p1:1'))).toBe('revoked');
    expect(await rw.db.pttl(LOCK)).toBeLessThanOrEqual(10_000);
  });
});

describe('a claim to write', () => {
  it('writes what Redisson writes', async () => {
    expect(await rw.claim('p1:1:write', { lease: 4_000, tokens: 2 })).toBeGreaterThan(0);
    expect(await rw.hash()).toEqual({ mode: 'write', 'p1:1:write': '1' });
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(3_000);
    expect(await rw.keys()).toEqual([LOCK, 'bedrock_token'].sort());
  });

  it.each(['p2:1', 'p2:1:write'])('is refused beside %s', async (holder) => {
    await rw.grant(holder, { lease: 4_000 });
    const [retry, by] = (await rw.claim('p1:1:write')) as [number, string];
    expect(retry).toBeGreaterThan(3_000);
    expect(by).toBe('p2:1');
  });

  it('is refused beside a reader of its own process', async () => {
    await rw.grant('p1:1');
    expect(await rw.claim('p1:2:write')).toMatchObject([expect.any(Number), 'p1:1']);
  });

  it('is granted a repeat with new tokens', async () => {
    const first = (await rw.claim('p1:1:write', { tokens: 1 })) as number;
    expect(await rw.claim('p1:1:write', { tokens: 1, lease: 20_000 })).toBeGreaterThan(first);
    expect(await rw.db.pttl(LOCK)).toBeGreaterThan(19_000);
  });

  it('is granted when the last reader has ended by itself', async () => {
    await rw.grant('p1:1', { lease: 60 });
    await rw.grant('p2:1', { lease: 30 });
    await eventually('the end of both', async () => typeof (await rw.claim('p3:1:write')) === 'number');
    expect(await rw.hash()).toEqual({ mode: 'write', 'p3:1:write': '1' });
  });
});

describe('the queue', () => {
  it('keeps readers behind a writer that waits, and out of the way of its turn', async () => {
    await rw.grant('p1:1');
    await rw.claim('p2:1:write');
    const [retry, holder] = (await rw.claim('p3:1')) as [number, string?];
    expect(retry).toBeGreaterThan(500);
    expect(retry).toBeLessThanOrEqual(1_001);
    expect(holder).toBeUndefined();
    expect(await rw.claim('p1:2')).toHaveLength(1);
    expect(await rw.queue()).toEqual(['p2', 'p3', 'p1']);
    await rw.withdraw('p1:1');
    expect(await rw.claim('p3:1')).toHaveLength(1);
    await rw.grant('p2:1:write');
    expect(await rw.queue()).toEqual(['p3', 'p1']);
  });

  it('says what its processes ask for', async () => {
    await rw.grant('p1:1:write');
    await rw.claim('p2:7:write', { queue: 2, tokens: 3, lease: 5_000 });
    await rw.claim('p3:8', { queue: 2, lease: 6_000 });
    await rw.claim('p4:9:write');
    expect(await rw.db.hget(ASKS, 'p2')).toMatch(/^\d+ 7:write 5000 3$/);
    expect(await rw.db.hget(ASKS, 'p3')).toMatch(/^\d+ 8 6000 0$/);
    expect(await rw.db.hget(ASKS, 'p4')).toMatch(/^\d+$/);
  });

  it('drops a head without a sign for a second, and lets the next one in', async () => {
    await rw.grant('p1:1');
    await rw.enqueue('dead', 1_100, ' 1:write 9000 1');
    await rw.enqueue('p2', 0, ' 5 9000 0');
    const heard = await rw.published(() => rw.claim('p3:1'));
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '1', 'p2:5': '1', 'p3:1': '1' });
    expect(heard).toEqual([expect.stringMatching(/^bedrock_wake:p2 =5 0 0 1000 \d+ rw$/)]);
    expect(await rw.queue()).toEqual([]);
  });

  it('lets in the readers behind one of their own, up to the next writer', async () => {
    await rw.enqueue('p1');
    await rw.enqueue('p2', 0, ' 5 9000 0');
    await rw.enqueue('p3', 0, ' 6 9000 0');
    await rw.enqueue('p4', 0, ' 7:write 9000 1');
    await rw.enqueue('p5', 0, ' 8 9000 0');
    await rw.grant('p1:1');
    expect(await rw.hash()).toEqual({ mode: 'read', 'p1:1': '1', 'p2:5': '1', 'p3:6': '1' });
    expect(await rw.queue()).toEqual(['p4', 'p5']);
  });

  it('wakes the next reader that has to ask by itself', async () => {
    await rw.enqueue('p1');
    await rw.enqueue('p2');
    expect(await rw.published(() => rw.grant('p1:1'))).toEqual(['bedrock_wake:p2 +rw']);
    expect(await rw.queue()).toEqual(['p2']);
    await rw.grant('p2:1');
    expect(await rw.queue()).toEqual([]);
  });

  it('grants nothing while a client of Redisson waits as well', async () => {
    await rw.waitAsRedisson();
    await rw.enqueue('p1');
    await rw.enqueue('p2', 0, ' 5 9000 0');
    expect(await rw.published(() => rw.grant('p1:1'))).toEqual(['bedrock_wake:p2 +rw']);
  });

  it('lets a process that changed its mind keep its place', async () => {
    await rw.grant('p1:1');
    await rw.claim('p2:1:write', { queue: 2 });
    await rw.claim('p3:1');
    await rw.withdraw('p2:1');
    expect(await rw.claim('p3:1')).toHaveLength(1);
    await rw.grant('p2:2');
    expect(await rw.queue()).toEqual(['p3']);
  });
});

describe('a claim on something else', () => {
  it('is refused on a mutex, another hash and another type of key', async () => {
    const mismatch = 'WRONGTYPE a mutex or another hash';
    await rw.db.hset(LOCK, 'p1:1', 1);
    for (const id of ['p2:1', 'p2:1:write']) expect(await rw.claim(id)).toBe(mismatch);
    await rw.db.set(LOCK, 'text');
    expect(await rw.claim('p2:1')).toMatch(/^(ERR.*)?-?WRONGTYPE /);
    expect(await rw.keys()).toEqual([LOCK]);
  });

  it('hurts no other item of the call', async () => {
    await rw.db.set('text', 'no lock');
    const keysOf = (name: string) => [name, `bedrock_order:{${name}}`, `bedrock_asks:{${name}}`];
    const item = (id: string) => [id, 5_000, 9_999_999_999_999, 0, 1];
    const keys = ['bedrock_token', ...['a', 'text', 'b'].flatMap(keysOf)];
    const items = [...item('p:1'), ...item('p:2'), ...item('p:3:write')];
    const reply = await rw.run(RW_CLAIM, keys, ...items, 1);
    expect(reply).toEqual([expect.any(Number), 0, expect.stringContaining('WRONGTYPE'), 0]);
  });
});
