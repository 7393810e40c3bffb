import { CLAIM, REVOKE } from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { ASKS, KEYS, QUEUE, LOCK, NEVER_STALE, MutexScripts } from './mutex-scripts.js';

const scripts = new MutexScripts();

beforeAll(() => scripts.fixture.start());
afterEach(() => scripts.fixture.clean());
afterAll(() => scripts.fixture.stop());

describe('claim', () => {
  it('grants a free lock in the format of RLock', async () => {
    expect(await scripts.claim('p1:1', { lease: 4_000 })).toBe(0);
    expect(await scripts.db.hgetall(LOCK)).toEqual({ 'p1:1': '1' });
    expect(await scripts.db.pttl(LOCK)).toBeGreaterThan(3_000);
    expect(await scripts.db.pttl(LOCK)).toBeLessThanOrEqual(4_000);
  });

  it('tells the time of the server', async () => {
    const before = await scripts.serverNow();
    const [now] = (await scripts.run(CLAIM, ['bedrock_token'], 1)) as [number];
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(await scripts.serverNow());
  });

  it('refuses a held lock with the rest of its life and its holder, and enlists the process once', async () => {
    await scripts.claim('p1:1', { lease: 4_000 });
    const [retry, holder] = (await scripts.claim('p2:1')) as [number, string];
    expect(retry).toBeGreaterThan(3_000);
    expect(holder).toBe('p1:1');
    await scripts.claim('p2:2');
    expect(await scripts.db.lrange(QUEUE, 0, -1)).toEqual(['p2']);
    expect(Number(await scripts.db.hget(ASKS, 'p2'))).toBeGreaterThan((await scripts.serverNow()) - 1_000);
    for (const key of [QUEUE, ASKS]) expect(await scripts.db.pttl(key)).toBeGreaterThan(9_000);
  });

  it('leaves no trace of a claim that does not want to join the queue', async () => {
    await scripts.claim('p1:1');
    await scripts.claim('p2:1', { queue: 0 });
    expect(await scripts.db.keys('bedrock_*')).toEqual([]);
  });

  it('says -1 for a lock that never expires', async () => {
    await scripts.db.hset(LOCK, 'java:7', 1);
    expect(await scripts.claim('p1:1')).toEqual([-1, 'java:7']);
  });

  it('refuses as stale what arrives after its time, and takes what arrives in time', async () => {
    const now = await scripts.serverNow();
    expect(await scripts.claim('p1:1', { notAfter: now - 1 })).toBe(-1);
    expect(await scripts.db.exists(LOCK)).toBe(0);
    expect(await scripts.claim('p1:1', { notAfter: now + 5_000 })).toBe(0);
  });

  it('grants a repeat again and never lowers its life', async () => {
    await scripts.claim('p1:1', { lease: 9_000 });
    expect(await scripts.claim('p1:1', { lease: 1_000 })).toBe(0);
    expect(await scripts.db.pttl(LOCK)).toBeGreaterThan(8_000);
    expect(await scripts.claim('p1:1', { lease: 20_000 })).toBe(0);
    expect(await scripts.db.pttl(LOCK)).toBeGreaterThan(19_000);
    expect(await scripts.db.hgetall(LOCK)).toEqual({ 'p1:1': '1' });
  });

  it('does not grant a repeat after the grant was revoked', async () => {
    await scripts.claim('p1:1', { lease: 5_000 });
    await scripts.run(REVOKE, KEYS, 'atExpiry');
    const [retry, holder] = (await scripts.claim('p1:1', { lease: 20_000 })) as [number, string];
    expect(retry).toBeLessThanOrEqual(5_000);
    expect(holder).toBe('p1:1');
  });

  it('lets the live head go first, and says how long the head may still be silent', async () => {
    await scripts.standInLine('p1', 400);
    const [retry, holder] = (await scripts.claim('p2:1')) as [number, string?];
    expect(retry).toBeGreaterThan(500);
    expect(retry).toBeLessThanOrEqual(601);
    expect(holder).toBeUndefined();
    expect(await scripts.claim('p1:1')).toBe(0);
    expect(await scripts.db.lrange(QUEUE, 0, -1)).toEqual(['p2']);
    expect(await scripts.db.hkeys(ASKS)).toEqual(['p2']);
  });

  it('skips dead heads, also those without any sign', async () => {
    await scripts.standInLine('dead', 1_001);
    await scripts.db.rpush(QUEUE, 'unknown');
    expect(await scripts.claim('p2:1')).toBe(0);
    expect(await scripts.db.keys('bedrock_*')).toEqual([]);
  });

  it('serves a head that asks late, since a process that asks is alive', async () => {
    await scripts.standInLine('p1', 3_000);
    await scripts.standInLine('p2');
    expect(await scripts.claim('p1:1')).toBe(0);
    expect(await scripts.db.lrange(QUEUE, 0, -1)).toEqual(['p2']);
  });

  it('gives tokens that grow with every grant and reserve blocks', async () => {
    const first = (await scripts.claim('p1:1', { tokens: 8 })) as number;
    await scripts.withdraw('p1:1');
    const second = (await scripts.claim('p1:2', { tokens: 512 })) as number;
    await scripts.withdraw('p1:2');
    const third = (await scripts.claim('p1:3', { tokens: 1 })) as number;
    expect(first).toBeGreaterThan(1_000_000 * 1_700_000_000);
    expect(second).toBeGreaterThanOrEqual(first + 8);
    expect(third).toBeGreaterThanOrEqual(second + 512);
    expect(Number.isSafeInteger(third)).toBe(true);
  });

  it('goes on from a counter that is ahead of the clock', async () => {
    await scripts.db.set('bedrock_token', '8000000000000000');
    expect(await scripts.claim('p1:1', { tokens: 3 })).toBe(8_000_000_000_000_001);
    expect(await scripts.db.get('bedrock_token')).toBe('8000000000000003');
  });

  it('exceeds old tokens when the counter was lost', async () => {
    const before = (await scripts.claim('p1:1', { tokens: 1 })) as number;
    await scripts.db.flushall();
    expect(await scripts.claim('p1:1', { tokens: 1 })).toBeGreaterThan(before);
  });

  it('answers each item for itself', async () => {
    await scripts.db.set('text', 'no lock');
    await scripts.db.hset('pair', { mode: 'read', 'java:1': 1 });
    const items = ['a', 'text', 'pair', 'b'];
    const reply = (await scripts.run(
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
    expect(await scripts.db.hgetall('b')).toEqual({ 'p1:b': '1' });
  });
});
