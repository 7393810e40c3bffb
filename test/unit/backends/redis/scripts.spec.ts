import { Redis } from 'ioredis';
import {
  ANNOTATE,
  CLAIM,
  INSPECT,
  RENEW,
  REVOKE,
  WITHDRAW,
  type Script,
} from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
const [LOCK, LINE, ASKS] = ['lock', 'bedrock_order:{lock}', 'bedrock_asks:{lock}'] as const;
const KEYS = [LOCK, LINE, ASKS];
const WITH_TOKENS = ['bedrock_token', ...KEYS];
const NEVER_STALE = 9_999_999_999_999;
let db: Redis;
let heard: string[];

beforeAll(async () => {
  await fixture.start();
  db = fixture.observer;
});
beforeEach(async () => {
  heard = [];
});
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

function run(script: Script, keys: readonly string[], ...args: readonly (string | number)[]) {
  return db.eval(script.source, keys.length, ...keys, ...args);
}

/** One claim; the answer without the server's time. */
async function claim(id: string, { lease = 10_000, notAfter = NEVER_STALE, tokens = 0, queue = 1 } = {}) {
  const reply = (await run(CLAIM, WITH_TOKENS, ...[id, lease, notAfter, tokens, queue, 1])) as unknown[];
  return reply[1];
}

function withdraw(id: string, { keepMs = 0, leave = 0 } = {}) {
  return run(WITHDRAW, WITH_TOKENS, id, keepMs, leave);
}

async function serverNow(): Promise<number> {
  const [seconds, micros] = await db.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** Puts a process in line whose last sign is `ageMs` old. */
async function standInLine(process: string, ageMs = 0): Promise<void> {
  await db.rpush(LINE, process);
  await db.hset(ASKS, process, (await serverNow()) - ageMs);
}

/** What is published while `act` runs, on all channels, in order. */
async function published(act: () => Promise<unknown>): Promise<string[]> {
  const ear = new Redis(fixture.server.port);
  ear.on('pmessage', (_pattern, channel, message) => heard.push(`${channel} ${message}`));
  await ear.psubscribe('*');
  await act();
  const end = new Promise((resolve) => ear.on('message', resolve));
  await ear.subscribe('end');
  await db.publish('end', '');
  await end;
  ear.disconnect();
  return heard.filter((message) => !message.startsWith('end'));
}

describe('claim', () => {
  it('grants a free lock in the format of RLock', async () => {
    expect(await claim('p1:1', { lease: 4_000 })).toBe(0);
    expect(await db.hgetall(LOCK)).toEqual({ 'p1:1': '1' });
    expect(await db.pttl(LOCK)).toBeGreaterThan(3_900);
    expect(await db.pttl(LOCK)).toBeLessThanOrEqual(4_000);
  });

  it('tells the time of the server', async () => {
    const before = await serverNow();
    const [now] = (await run(CLAIM, ['bedrock_token'], 1)) as [number];
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(await serverNow());
  });

  it('refuses a held lock with the rest of its life and its holder, and enlists the process once', async () => {
    await claim('p1:1', { lease: 4_000 });
    const [retry, holder] = (await claim('p2:1')) as [number, string];
    expect(retry).toBeGreaterThan(3_900);
    expect(holder).toBe('p1:1');
    await claim('p2:2');
    expect(await db.lrange(LINE, 0, -1)).toEqual(['p2']);
    expect(Number(await db.hget(ASKS, 'p2'))).toBeGreaterThan((await serverNow()) - 1_000);
    for (const key of [LINE, ASKS]) expect(await db.pttl(key)).toBeGreaterThan(9_000);
  });

  it('leaves no trace of who does not want to stand in line', async () => {
    await claim('p1:1');
    await claim('p2:1', { queue: 0 });
    expect(await db.keys('bedrock_*')).toEqual([]);
  });

  it('says -1 for a lock that never expires', async () => {
    await db.hset(LOCK, 'java:7', 1);
    expect(await claim('p1:1')).toEqual([-1, 'java:7']);
  });

  it('refuses as stale what arrives after its time, and takes what arrives in time', async () => {
    const now = await serverNow();
    expect(await claim('p1:1', { notAfter: now - 1 })).toBe(-1);
    expect(await db.exists(LOCK)).toBe(0);
    expect(await claim('p1:1', { notAfter: now + 5_000 })).toBe(0);
  });

  it('grants a repeat again and never lowers its life', async () => {
    await claim('p1:1', { lease: 9_000 });
    expect(await claim('p1:1', { lease: 1_000 })).toBe(0);
    expect(await db.pttl(LOCK)).toBeGreaterThan(8_000);
    expect(await claim('p1:1', { lease: 20_000 })).toBe(0);
    expect(await db.pttl(LOCK)).toBeGreaterThan(19_000);
    expect(await db.hgetall(LOCK)).toEqual({ 'p1:1': '1' });
  });

  it('does not grant a repeat after the grant was revoked', async () => {
    await claim('p1:1', { lease: 5_000 });
    await run(REVOKE, KEYS, 'atExpiry');
    const [retry, holder] = (await claim('p1:1', { lease: 20_000 })) as [number, string];
    expect(retry).toBeLessThanOrEqual(5_000);
    expect(holder).toBe('p1:1');
  });

  it('lets the live head go first, and says how long the head may still be silent', async () => {
    await standInLine('p1', 400);
    const [retry, holder] = (await claim('p2:1')) as [number, string?];
    expect(retry).toBeGreaterThan(500);
    expect(retry).toBeLessThanOrEqual(601);
    expect(holder).toBeUndefined();
    expect(await claim('p1:1')).toBe(0);
    expect(await db.lrange(LINE, 0, -1)).toEqual(['p2']);
    expect(await db.hkeys(ASKS)).toEqual(['p2']);
  });

  it('skips dead heads, also those without any sign', async () => {
    await standInLine('dead', 1_001);
    await db.rpush(LINE, 'unknown');
    expect(await claim('p2:1')).toBe(0);
    expect(await db.keys('bedrock_*')).toEqual([]);
  });

  it('serves a head that asks late, since who asks is alive', async () => {
    await standInLine('p1', 3_000);
    await standInLine('p2');
    expect(await claim('p1:1')).toBe(0);
    expect(await db.lrange(LINE, 0, -1)).toEqual(['p2']);
  });

  it('gives tokens that grow with every grant and reserve blocks', async () => {
    const first = (await claim('p1:1', { tokens: 8 })) as number;
    await withdraw('p1:1');
    const second = (await claim('p1:2', { tokens: 512 })) as number;
    await withdraw('p1:2');
    const third = (await claim('p1:3', { tokens: 1 })) as number;
    expect(first).toBeGreaterThan(1_000_000 * 1_700_000_000);
    expect(second).toBeGreaterThanOrEqual(first + 8);
    expect(third).toBeGreaterThanOrEqual(second + 512);
    expect(Number.isSafeInteger(third)).toBe(true);
  });

  it('goes on from a counter that is ahead of the clock', async () => {
    await db.set('bedrock_token', '8000000000000000');
    expect(await claim('p1:1', { tokens: 3 })).toBe(8_000_000_000_000_001);
    expect(await db.get('bedrock_token')).toBe('8000000000000003');
  });

  it('exceeds old tokens when the counter was lost', async () => {
    const before = (await claim('p1:1', { tokens: 1 })) as number;
    await db.flushall();
    expect(await claim('p1:1', { tokens: 1 })).toBeGreaterThan(before);
  });

  it('answers each item for itself', async () => {
    await db.set('text', 'no lock');
    await db.hset('pair', { mode: 'read', 'java:1': 1 });
    const items = ['a', 'text', 'pair', 'b'];
    const reply = (await run(
      CLAIM,
      [
        'bedrock_token',
        ...items.flatMap((name) => [name, `bedrock_order:{${name}}`, `bedrock_asks:{${name}}`]),
      ],
      ...items.flatMap((name) => [`p1:${name}`, 5_000, NEVER_STALE, 2, 1]),
      1,
    )) as unknown[];
    const [, a, text, pair, b] = reply;
    expect(text).toMatch(/^WRONGTYPE/);
    expect(pair).toBe('WRONGTYPE a read-write lock');
    expect(b).toBe((a as number) + 2);
    expect(await db.hgetall('b')).toEqual({ 'p1:b': '1' });
  });
});

describe('withdraw', () => {
  it('deletes what it owns and wakes everybody when nobody stands in line', async () => {
    await claim('p1:1');
    expect(await published(() => withdraw('p1:1'))).toEqual(['redisson_lock__channel:{lock} 0']);
    expect(await db.exists(LOCK)).toBe(0);
  });

  it('touches nothing of another holder', async () => {
    await claim('p2:1', { lease: 5_000 });
    const messages = await published(async () => {
      expect(await withdraw('p1:1')).toBe(0);
      expect(await withdraw('p1:1', { keepMs: 1 })).toBe(0);
    });
    expect(messages).toEqual([]);
    expect(await db.hgetall(LOCK)).toEqual({ 'p2:1': '1' });
    expect(await db.pttl(LOCK)).toBeGreaterThan(4_000);
  });

  it('wakes the live head alone, and Redisson with a zero of another spelling', async () => {
    await claim('p1:1');
    await standInLine('dead', 2_000);
    await standInLine('p2');
    expect(await published(() => withdraw('p1:1'))).toEqual([
      'bedrock_wake:p2 +lock',
      'redisson_lock__channel:{lock} 00',
    ]);
    expect(await db.lrange(LINE, 0, -1)).toEqual(['p2']);
  });

  it('wakes everybody when all in line are dead', async () => {
    await claim('p1:1');
    await standInLine('dead', 2_000);
    expect(await published(() => withdraw('p1:1'))).toEqual(['redisson_lock__channel:{lock} 0']);
    expect(await db.keys('bedrock_*')).toEqual([]);
  });

  it('keeps the lock for the rest of its least time, never longer than it had, and wakes nobody', async () => {
    await claim('p1:1', { lease: 5_000 });
    const messages = await published(async () => {
      expect(await withdraw('p1:1', { keepMs: 8_000 })).toBe(1);
      expect(await db.pttl(LOCK)).toBeLessThanOrEqual(5_000);
      expect(await withdraw('p1:1', { keepMs: 700 })).toBe(1);
    });
    expect(messages).toEqual([]);
    expect(await db.pttl(LOCK)).toBeLessThanOrEqual(700);
    expect(await db.pttl(LOCK)).toBeGreaterThan(0);
  });

  it('gives an expiry to a kept lock that had lost it', async () => {
    await claim('p1:1');
    await db.persist(LOCK);
    await withdraw('p1:1', { keepMs: 700 });
    expect(await db.pttl(LOCK)).toBeGreaterThan(0);
  });

  it('deletes a revoked lock with its mark', async () => {
    await claim('p1:1');
    await run(REVOKE, KEYS, 'atExpiry');
    expect(await withdraw('p1:1')).toBe(1);
    expect(await db.exists(LOCK)).toBe(0);
  });

  it('leaves the line, and wakes the next when a head leaves a free lock', async () => {
    await standInLine('p1');
    await standInLine('p2');
    expect(await published(() => withdraw('p1:1', { leave: 1 }))).toEqual([
      'bedrock_wake:p2 +lock',
      'redisson_lock__channel:{lock} 00',
    ]);
    expect(await published(() => withdraw('p2:1', { leave: 1 }))).toContain(
      'redisson_lock__channel:{lock} 0',
    );
    expect(await db.keys('*')).toEqual([]);
  });

  it('leaves the line silently from the middle, or while the lock is held', async () => {
    await standInLine('p1');
    await standInLine('p2');
    expect(await published(() => withdraw('p2:1', { leave: 1 }))).toEqual([]);
    await db.hset(LOCK, 'p3:1', 1);
    expect(await published(() => withdraw('p1:1', { leave: 1 }))).toEqual([]);
    expect(await db.keys('bedrock_*')).toEqual([]);
  });

  it('stays in line when asked to', async () => {
    await standInLine('p1');
    await withdraw('p1:1');
    expect(await db.lrange(LINE, 0, -1)).toEqual(['p1']);
  });

  it('uses the name itself as the hash tag when it contains a brace', async () => {
    await db.hset('x:{lock}', 'p1:1', 1);
    const keys = ['bedrock_token', 'x:{lock}', 'bedrock_order:x:{lock}', 'bedrock_asks:x:{lock}'];
    expect(await published(() => run(WITHDRAW, keys, 'p1:1', 0, 0))).toEqual([
      'redisson_lock__channel:x:{lock} 0',
    ]);
  });

  it('answers each item for itself', async () => {
    await db.set('text', 'no lock');
    await claim('p1:1');
    const keys = ['bedrock_token', 'text', 'bedrock_order:{text}', 'bedrock_asks:{text}', ...KEYS];
    const reply = await run(WITHDRAW, keys, 'p1:0', 0, 0, 'p1:1', 0, 0);
    expect(reply).toEqual([expect.stringMatching(/^WRONGTYPE/), 1]);
  });
});

describe('renew', () => {
  it('pushes the expiry of the own grant and never lowers it', async () => {
    await claim('p1:1', { lease: 3_000 });
    expect(await run(RENEW, [LOCK], 'p1:1', 9_000)).toEqual([1]);
    expect(await db.pttl(LOCK)).toBeGreaterThan(8_000);
    expect(await run(RENEW, [LOCK], 'p1:1', 10)).toEqual([1]);
    expect(await db.pttl(LOCK)).toBeGreaterThan(8_000);
  });

  it('tells lost, revoked and bad keys apart and creates nothing', async () => {
    await claim('p1:1', { lease: 3_000 });
    await run(REVOKE, KEYS, 'atExpiry');
    await db.set('text', 'no lock');
    expect(
      await run(RENEW, [LOCK, LOCK, 'gone', 'text'], 'p1:1', 9_000, 'p2:1', 9_000, 'p1:1', 9_000, 'p1:1', 9),
    ).toEqual([2, 0, 0, expect.stringMatching(/^WRONGTYPE/)]);
    expect(await db.pttl(LOCK)).toBeLessThanOrEqual(3_000);
    expect(await db.exists('gone')).toBe(0);
  });
});

describe('annotate', () => {
  it('shows the depth of a grant, and makes no lock out of nothing', async () => {
    await claim('p1:1');
    await db.set('text', 'no lock');
    expect(await run(ANNOTATE, [LOCK, 'gone', 'text'], 'p1:1', 3, 'p1:1', 2, 'p1:1', 2)).toEqual([
      1,
      0,
      expect.stringMatching(/^WRONGTYPE/),
    ]);
    expect(await db.hgetall(LOCK)).toEqual({ 'p1:1': '3' });
    expect(await db.exists('gone')).toBe(0);
  });
});

describe('inspect', () => {
  it('shows the hash and its life, or that there is none', async () => {
    expect(await run(INSPECT, [LOCK])).toEqual([-2]);
    await db.hset(LOCK, 'java:1', 2);
    expect(await run(INSPECT, [LOCK])).toEqual([-1, 'java:1', '2']);
  });
});

describe('revoke', () => {
  it('says that nobody holds the lock', async () => {
    expect(await run(REVOKE, KEYS, 'now')).toBe(0);
    expect(await run(REVOKE, KEYS, 'atExpiry')).toBe(0);
    expect(await db.keys('*')).toEqual([]);
  });

  it('marks the grant, keeps its life and tells its process', async () => {
    await claim('p1:1', { lease: 3_000 });
    expect(await published(() => run(REVOKE, KEYS, 'atExpiry'))).toEqual(['bedrock_wake:p1 !lock']);
    expect(await db.hgetall(LOCK)).toEqual({ 'p1:1': '1', bedrock_revoked: '1' });
    expect(await db.pttl(LOCK)).toBeLessThanOrEqual(3_000);
  });

  it('frees the lock now, wakes the head and tells the holder', async () => {
    await claim('p1:1');
    await standInLine('p2');
    expect(await published(() => run(REVOKE, KEYS, 'now'))).toEqual([
      'bedrock_wake:p2 +lock',
      'redisson_lock__channel:{lock} 00',
      'bedrock_wake:p1 !lock',
    ]);
    expect(await db.exists(LOCK)).toBe(0);
  });
});
