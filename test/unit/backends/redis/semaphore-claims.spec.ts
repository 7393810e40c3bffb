import {
  LEASE_SEMAPHORE_CLAIM,
  LEASE_SEMAPHORE_WITHDRAW,
} from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { ASKS, ENDS, keysOf, QUEUE, NEVER_STALE, SemaphoreScripts, UNITS } from './semaphore-scripts.js';

const scripts = new SemaphoreScripts();

beforeAll(() => scripts.fixture.start());
afterEach(() => scripts.fixture.clean());
afterAll(() => scripts.fixture.stop());

describe('claim of permits', () => {
  it('grants up to the capacity, and writes who holds how many until when', async () => {
    expect(await scripts.claim('p1:1', 1, { lease: 4_000 })).toBe(0);
    expect(await scripts.claim('p2:1', 3, { lease: 8_000 })).toBe(0);
    expect(await scripts.held()).toEqual({ 'p1:1': '1', 'p2:1': '3', held: '4' });
    const now = await scripts.now();
    expect(Number(await scripts.db.zscore(ENDS, 'p1:1')) - now).toBeGreaterThan(3_000);
    for (const key of [UNITS, ENDS]) {
      expect(await scripts.db.pttl(key)).toBeGreaterThan(7_000);
      expect(await scripts.db.pttl(key)).toBeLessThanOrEqual(8_000);
    }
    expect(await scripts.claim('p3:1')).toEqual([expect.any(Number), 'p1:1']);
  });

  it('refuses what does not fit, with the time to the next end of a lease and its claim, and enlists the process', async () => {
    await scripts.claim('p1:1', 1, { lease: 9_000 });
    await scripts.claim('p1:2', 2, { lease: 3_000 });
    const [retry, holder] = (await scripts.claim('p2:1', 2)) as [number, string];
    expect(holder).toBe('p1:2');
    expect(retry).toBeGreaterThan(2_000);
    expect(retry).toBeLessThanOrEqual(3_000);
    expect(await scripts.queue()).toEqual(['p2']);
    expect(await scripts.db.hget(ASKS, 'p2')).toMatch(/^\d+$/);
    for (const key of [QUEUE, ASKS]) expect(await scripts.db.pttl(key)).toBeGreaterThan(9_000);
  });

  it('stores the request of a claim that takes a grant without asking again', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.claim('p2:7', 3, { lease: 5_000, queue: 2 });
    expect(await scripts.db.hget(ASKS, 'p2')).toMatch(/^\d+ 7 5000 3 4$/);
  });

  it('leaves no trace of a claim that does not want to join the queue', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.claim('p2:1', 1, { queue: 0 });
    expect((await scripts.db.keys('*')).sort()).toEqual([UNITS, ENDS].sort());
  });

  it('counts held permits against the number of permits that the claim states', async () => {
    await scripts.claim('p1:1', 3, { of: 4 });
    expect(await scripts.claim('p2:1', 1, { of: 3, queue: 0 })).toEqual([expect.any(Number), 'p1:1']);
    expect(await scripts.claim('p2:2', 1, { of: 4 })).toBe(0);
    expect(await scripts.claim('p3:1', 1, { of: 5 })).toBe(0);
    expect(await scripts.claim('p3:2', 1, { of: 5, queue: 0 })).toEqual([
      expect.any(Number),
      expect.any(String),
    ]);
  });

  it('frees what has ended first, by its own clock, and nothing sooner', async () => {
    await scripts.claim('p1:1', 3);
    await scripts.claim('p1:2', 1);
    expect(await scripts.claim('p2:1', 2, { queue: 0 })).toEqual([expect.any(Number), 'p1:1']);
    await scripts.end('p1:1');
    expect(await scripts.claim('p2:2', 3)).toBe(0);
    expect(await scripts.held()).toEqual({ 'p1:2': '1', 'p2:2': '3', held: '4' });
    expect(await scripts.db.zrange(ENDS, '0', '-1')).toEqual(['p1:2', 'p2:2']);
  });

  it('frees a lease that has ended though its permits are not known', async () => {
    await scripts.end('p1:1');
    expect(await scripts.claim('p2:1', 4)).toBe(0);
    expect(await scripts.held()).toEqual({ 'p2:1': '4', held: '4' });
    expect(await scripts.db.zrange(ENDS, '0', '-1')).toEqual(['p2:1']);
  });

  it('refuses as stale what arrives after its time, and takes what arrives in time', async () => {
    const now = await scripts.now();
    expect(await scripts.claim('p1:1', 1, { notAfter: now - 1 })).toBe(-1);
    expect(await scripts.db.keys('*')).toEqual([]);
    expect(await scripts.claim('p1:1', 1, { notAfter: now + 5_000 })).toBe(0);
  });

  it('grants a repeat again, counts it once and never lowers its life', async () => {
    await scripts.claim('p1:1', 3, { lease: 9_000 });
    expect(await scripts.claim('p1:1', 3, { lease: 1_000 })).toBe(0);
    expect(await scripts.db.pttl(ENDS)).toBeGreaterThan(8_000);
    expect(await scripts.claim('p1:1', 3, { lease: 20_000 })).toBe(0);
    expect(await scripts.db.pttl(ENDS)).toBeGreaterThan(19_000);
    expect(await scripts.held()).toEqual({ 'p1:1': '3', held: '3' });
  });

  it('does not grant a repeat after the grant was revoked', async () => {
    await scripts.claim('p1:1', 1, { lease: 5_000 });
    await scripts.revoke('atExpiry');
    expect(await scripts.claim('p1:1', 1, { lease: 20_000 })).toEqual([expect.any(Number), 'p1:1']);
    expect(await scripts.db.pttl(ENDS)).toBeLessThanOrEqual(5_000);
  });

  it('lets no claim overtake the head of the queue, though it would fit', async () => {
    await scripts.claim('p1:1', 2);
    await scripts.claim('big:1', 3);
    expect(await scripts.claim('p2:1', 1)).toEqual([expect.any(Number), 'p1:1']);
    expect(await scripts.queue()).toEqual(['big', 'p2']);
    await scripts.withdraw('p1:1');
    expect(await scripts.claim('p2:1', 1)).toEqual([expect.any(Number)]);
    expect(await scripts.claim('big:1', 3)).toBe(0);
    expect(await scripts.claim('p2:1', 1)).toBe(0);
    expect(await scripts.db.keys('*order*')).toEqual([]);
  });

  it('says how long a head may still be silent when nothing is held', async () => {
    await scripts.enqueue('p1', { ageMs: 400 });
    const [retry, holder] = (await scripts.claim('p2:1')) as [number, string?];
    expect(retry).toBeGreaterThan(500);
    expect(retry).toBeLessThanOrEqual(601);
    expect(holder).toBeUndefined();
  });

  it('skips dead heads, and passes what they kept on to those behind', async () => {
    await scripts.enqueue('dead', { ageMs: 1_001 });
    await scripts.enqueue('p1', { ask: ' 7 5000 3 4' });
    await scripts.enqueue('p2');
    const messages = await scripts.published(async () => {
      expect(await scripts.claim('p3:1')).toEqual([expect.any(Number), 'p1:7']);
    });
    expect(messages).toEqual([
      expect.stringMatching(/^bedrock_wake:p1 =7 0 0 1000 \d+ pool$/),
      'bedrock_wake:p2 +pool',
    ]);
    expect(await scripts.queue()).toEqual(['p2', 'p3']);
  });

  it('grants to the queue what came free by itself, also when another claim asks', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.claim('p2:1', 2, { queue: 2 });
    await scripts.end('p1:1');
    const messages = await scripts.published(async () => {
      expect(await scripts.claim('p3:1', 3, { queue: 2 })).toEqual([expect.any(Number), 'p2:1']);
    });
    expect(messages).toEqual([expect.stringMatching(/^bedrock_wake:p2 =1 0 0 1000 \d+ pool$/)]);
    expect(await scripts.held()).toEqual({ 'p2:1': '2', held: '2' });
  });

  it('serves the next in the queue after a head was granted, as far as there is room', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.claim('p2:1', 2);
    await scripts.claim('p3:1', 2, { queue: 2 });
    await scripts.claim('p4:1', 1, { queue: 2 });
    await scripts.withdraw('p1:1');
    const messages = await scripts.published(async () => expect(await scripts.claim('p2:1', 2)).toBe(0));
    expect(messages).toEqual([expect.stringMatching(/^bedrock_wake:p3 =1 0 0 1000 \d+ pool$/)]);
    expect(await scripts.held()).toEqual({ 'p2:1': '2', 'p3:1': '2', held: '4' });
    expect(await scripts.queue()).toEqual(['p4']);
  });

  it('answers each item for itself', async () => {
    await scripts.db.set('bedrock_units:{text}', 'no semaphore');
    await scripts.db.set('bedrock_units_ends:{time}', 'no semaphore');
    const items = ['a', 'text', 'time', 'b'];
    const args = items.flatMap((name) => [`p1:${name}`, 5_000, NEVER_STALE, '1 2', 1]);
    const reply = await scripts.runItems(LEASE_SEMAPHORE_CLAIM, items.flatMap(keysOf), ...args, 1);
    expect(reply.slice(1)).toEqual([
      0,
      expect.stringMatching(/WRONGTYPE/),
      expect.stringMatching(/WRONGTYPE/),
      0,
    ]);
    expect(await scripts.db.hgetall('bedrock_units:{b}')).toEqual({ 'p1:b': '1', held: '1' });
    expect(await scripts.db.exists('bedrock_units:{time}', 'bedrock_units_ends:{text}')).toBe(0);
  });

  it('takes a name with a brace as it is', async () => {
    const keys = ['', '_order', '_asks', '_ends'].map((part) => `bedrock_units${part}::x:{pool}`);
    const ask = (id: string) =>
      scripts.runItems(LEASE_SEMAPHORE_CLAIM, keys, id, 5_000, NEVER_STALE, '1 1', 1, 1);
    await ask('p1:1');
    await ask('p2:1');
    const messages = await scripts.published(() =>
      scripts.runItems(LEASE_SEMAPHORE_WITHDRAW, keys, 'p1:1', 0, 1),
    );
    expect(messages).toEqual(['bedrock_wake:p2 +x:{pool}']);
  });
});
