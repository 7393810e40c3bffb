import {
  ANNOTATE,
  INSPECT,
  RENEW,
  REVOKE,
  WITHDRAW,
} from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { KEYS, QUEUE, LOCK, MutexScripts } from './mutex-scripts.js';

const scripts = new MutexScripts();

beforeAll(() => scripts.fixture.start());
afterEach(() => scripts.fixture.clean());
afterAll(() => scripts.fixture.stop());

describe('withdraw', () => {
  it('deletes what it owns and wakes every listener when the queue is empty', async () => {
    await scripts.claim('p1:1');
    expect(await scripts.published(() => scripts.withdraw('p1:1'))).toEqual([
      'redisson_lock__channel:{lock} 0',
    ]);
    expect(await scripts.db.exists(LOCK)).toBe(0);
  });

  it('touches nothing of another holder', async () => {
    await scripts.claim('p2:1', { lease: 5_000 });
    const messages = await scripts.published(async () => {
      expect(await scripts.withdraw('p1:1')).toBe(0);
      expect(await scripts.withdraw('p1:1', { keepMs: 1 })).toBe(0);
    });
    expect(messages).toEqual([]);
    expect(await scripts.db.hgetall(LOCK)).toEqual({ 'p2:1': '1' });
    expect(await scripts.db.pttl(LOCK)).toBeGreaterThan(4_000);
  });

  it('wakes the live head alone, and Redisson with a zero of another spelling', async () => {
    await scripts.claim('p1:1');
    await scripts.standInLine('dead', 2_000);
    await scripts.standInLine('p2');
    expect(await scripts.published(() => scripts.withdraw('p1:1'))).toEqual([
      'bedrock_wake:p2 +lock',
      'redisson_lock__channel:{lock} 00',
    ]);
    expect(await scripts.db.lrange(QUEUE, 0, -1)).toEqual(['p2']);
  });

  it('wakes every listener when all in the queue are dead', async () => {
    await scripts.claim('p1:1');
    await scripts.standInLine('dead', 2_000);
    expect(await scripts.published(() => scripts.withdraw('p1:1'))).toEqual([
      'redisson_lock__channel:{lock} 0',
    ]);
    expect(await scripts.db.keys('bedrock_*')).toEqual([]);
  });

  it('keeps the lock for the rest of its least time, never longer than it had, and wakes no process', async () => {
    await scripts.claim('p1:1', { lease: 5_000 });
    const messages = await scripts.published(async () => {
      expect(await scripts.withdraw('p1:1', { keepMs: 8_000 })).toBe(1);
      expect(await scripts.db.pttl(LOCK)).toBeLessThanOrEqual(5_000);
      expect(await scripts.withdraw('p1:1', { keepMs: 700 })).toBe(1);
    });
    expect(messages).toEqual([]);
    expect(await scripts.db.pttl(LOCK)).toBeLessThanOrEqual(700);
    expect(await scripts.db.pttl(LOCK)).toBeGreaterThan(0);
  });

  it('gives an expiry to a kept lock that had lost it', async () => {
    await scripts.claim('p1:1');
    await scripts.db.persist(LOCK);
    await scripts.withdraw('p1:1', { keepMs: 700 });
    expect(await scripts.db.pttl(LOCK)).toBeGreaterThan(0);
  });

  it('deletes a revoked lock with its mark', async () => {
    await scripts.claim('p1:1');
    await scripts.run(REVOKE, KEYS, 'atExpiry');
    expect(await scripts.withdraw('p1:1')).toBe(1);
    expect(await scripts.db.exists(LOCK)).toBe(0);
  });

  it('leaves the queue, and wakes the next when a head leaves a free lock', async () => {
    await scripts.standInLine('p1');
    await scripts.standInLine('p2');
    expect(await scripts.published(() => scripts.withdraw('p1:1', { leave: 1 }))).toEqual([
      'bedrock_wake:p2 +lock',
      'redisson_lock__channel:{lock} 00',
    ]);
    expect(await scripts.published(() => scripts.withdraw('p2:1', { leave: 1 }))).toContain(
      'redisson_lock__channel:{lock} 0',
    );
    expect(await scripts.db.keys('*')).toEqual([]);
  });

  it('leaves the queue silently from the middle, or while the lock is held', async () => {
    await scripts.standInLine('p1');
    await scripts.standInLine('p2');
    expect(await scripts.published(() => scripts.withdraw('p2:1', { leave: 1 }))).toEqual([]);
    await scripts.db.hset(LOCK, 'p3:1', 1);
    expect(await scripts.published(() => scripts.withdraw('p1:1', { leave: 1 }))).toEqual([]);
    expect(await scripts.db.keys('bedrock_*')).toEqual([]);
  });

  it('stays in the queue when asked to', async () => {
    await scripts.standInLine('p1');
    await scripts.withdraw('p1:1');
    expect(await scripts.db.lrange(QUEUE, 0, -1)).toEqual(['p1']);
  });

  it('uses the name itself as the hash tag when it contains a brace', async () => {
    await scripts.db.hset('x:{lock}', 'p1:1', 1);
    const keys = ['bedrock_token', 'x:{lock}', 'bedrock_order:x:{lock}', 'bedrock_asks:x:{lock}'];
    expect(await scripts.published(() => scripts.run(WITHDRAW, keys, 'p1:1', 0, 0))).toEqual([
      'redisson_lock__channel:x:{lock} 0',
    ]);
  });

  it('answers each item for itself', async () => {
    await scripts.db.set('text', 'no lock');
    await scripts.claim('p1:1');
    const keys = ['bedrock_token', 'text', 'bedrock_order:{text}', 'bedrock_asks:{text}', ...KEYS];
    const reply = await scripts.run(WITHDRAW, keys, 'p1:0', 0, 0, 'p1:1', 0, 0);
    expect(reply).toEqual([expect.stringMatching(/^WRONGTYPE/), 1]);
  });
});

describe('renew', () => {
  it('pushes the expiry of the own grant and never lowers it', async () => {
    await scripts.claim('p1:1', { lease: 3_000 });
    expect(await scripts.run(RENEW, [LOCK], 'p1:1', 9_000)).toEqual([1]);
    expect(await scripts.db.pttl(LOCK)).toBeGreaterThan(8_000);
    expect(await scripts.run(RENEW, [LOCK], 'p1:1', 10)).toEqual([1]);
    expect(await scripts.db.pttl(LOCK)).toBeGreaterThan(8_000);
  });

  it('tells lost, revoked and bad keys apart and creates nothing', async () => {
    await scripts.claim('p1:1', { lease: 3_000 });
    await scripts.run(REVOKE, KEYS, 'atExpiry');
    await scripts.db.set('text', 'no lock');
    expect(
      await scripts.run(
        RENEW,
        [LOCK, LOCK, 'gone', 'text'],
        'p1:1',
        9_000,
        'p2:1',
        9_000,
        'p1:1',
        9_000,
        'p1:1',
        9,
      ),
    ).toEqual([2, 0, 0, expect.stringMatching(/^WRONGTYPE/)]);
    expect(await scripts.db.pttl(LOCK)).toBeLessThanOrEqual(3_000);
    expect(await scripts.db.exists('gone')).toBe(0);
  });
});

describe('annotate', () => {
  it('shows the depth of a grant, and makes no lock out of nothing', async () => {
    await scripts.claim('p1:1');
    await scripts.db.set('text', 'no lock');
    expect(await scripts.run(ANNOTATE, [LOCK, 'gone', 'text'], 'p1:1', 3, 'p1:1', 2, 'p1:1', 2)).toEqual([
      1,
      0,
      expect.stringMatching(/^WRONGTYPE/),
    ]);
    expect(await scripts.db.hgetall(LOCK)).toEqual({ 'p1:1': '3' });
    expect(await scripts.db.exists('gone')).toBe(0);
  });
});

describe('inspect', () => {
  it('shows the hash and its life, or that there is none', async () => {
    expect(await scripts.run(INSPECT, [LOCK])).toEqual([-2]);
    await scripts.db.hset(LOCK, 'java:1', 2);
    expect(await scripts.run(INSPECT, [LOCK])).toEqual([-1, 'java:1', '2']);
  });
});

describe('revoke', () => {
  it('says that the lock has no holder', async () => {
    expect(await scripts.run(REVOKE, KEYS, 'now')).toBe(0);
    expect(await scripts.run(REVOKE, KEYS, 'atExpiry')).toBe(0);
    expect(await scripts.db.keys('*')).toEqual([]);
  });

  it('marks the grant, keeps its life and tells its process', async () => {
    await scripts.claim('p1:1', { lease: 3_000 });
    expect(await scripts.published(() => scripts.run(REVOKE, KEYS, 'atExpiry'))).toEqual([
      'bedrock_wake:p1 !lock',
    ]);
    expect(await scripts.db.hgetall(LOCK)).toEqual({ 'p1:1': '1', bedrock_revoked: '1' });
    expect(await scripts.db.pttl(LOCK)).toBeLessThanOrEqual(3_000);
  });

  it('frees the lock now, wakes the head and tells the holder', async () => {
    await scripts.claim('p1:1');
    await scripts.standInLine('p2');
    expect(await scripts.published(() => scripts.run(REVOKE, KEYS, 'now'))).toEqual([
      'bedrock_wake:p2 +lock',
      'redisson_lock__channel:{lock} 00',
      'bedrock_wake:p1 !lock',
    ]);
    expect(await scripts.db.exists(LOCK)).toBe(0);
  });
});
