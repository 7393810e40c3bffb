import {
  LEASE_SEMAPHORE_RENEW,
  LEASE_SEMAPHORE_WITHDRAW,
} from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { ASKS, ENDS, keysOf, SemaphoreScripts, UNITS } from './semaphore-scripts.js';

const scripts = new SemaphoreScripts();

beforeAll(() => scripts.fixture.start());
afterEach(() => scripts.fixture.clean());
afterAll(() => scripts.fixture.stop());

describe('withdraw of permits', () => {
  it('frees what it owns, once, and leaves nothing behind', async () => {
    await scripts.claim('p1:1', 3);
    await scripts.claim('p2:1', 1);
    expect(await scripts.published(() => scripts.withdraw('p1:1'))).toEqual([]);
    expect(await scripts.withdraw('p1:1')).toBe(0);
    expect(await scripts.held()).toEqual({ 'p2:1': '1', held: '1' });
    expect(await scripts.withdraw('p2:1')).toBe(1);
    expect(await scripts.db.keys('*')).toEqual([]);
  });

  it('touches nothing of another holder', async () => {
    await scripts.claim('p2:1', 2, { lease: 5_000 });
    expect(await scripts.withdraw('p1:1')).toBe(0);
    expect(await scripts.withdraw('p1:1', { keepMs: 1 })).toBe(0);
    expect(await scripts.held()).toEqual({ 'p2:1': '2', held: '2' });
    expect(await scripts.db.pttl(ENDS)).toBeGreaterThan(4_000);
  });

  it('says of a lease that has ended that there is none', async () => {
    await scripts.claim('p1:1');
    await scripts.end('p1:1');
    expect(await scripts.withdraw('p1:1')).toBe(0);
    expect(await scripts.db.keys('*')).toEqual([]);
  });

  it('grants free permits to the claims in the queue, in order and while they fit, each for a second at first', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.claim('p2:1', 1, { queue: 2 });
    await scripts.claim('p3:1', 3, { queue: 2, lease: 500 });
    await scripts.claim('p4:1', 1, { queue: 2 });
    const messages = await scripts.published(() => scripts.withdraw('p1:1'));
    expect(messages).toEqual([
      expect.stringMatching(/^bedrock_wake:p2 =1 0 0 1000 \d+ pool$/),
      expect.stringMatching(/^bedrock_wake:p3 =1 0 0 500 \d+ pool$/),
    ]);
    expect(await scripts.held()).toEqual({ 'p2:1': '1', 'p3:1': '3', held: '4' });
    expect(await scripts.queue()).toEqual(['p4']);
    expect(await scripts.db.hkeys(ASKS)).toEqual(['p4']);
    expect(await scripts.db.pttl(ENDS)).toBeLessThanOrEqual(1_000);
  });

  it('grants by the capacity that the one in the queue has stated', async () => {
    await scripts.claim('p1:1', 1, { of: 4 });
    await scripts.claim('p1:2', 1, { of: 4 });
    await scripts.claim('p2:1', 2, { of: 2, queue: 2 });
    expect(await scripts.published(() => scripts.withdraw('p1:1'))).toEqual([]);
    expect(await scripts.held()).toEqual({ 'p1:2': '1', held: '1' });
    await scripts.withdraw('p1:2');
    expect(await scripts.held()).toEqual({ 'p2:1': '2', held: '2' });
  });

  it('wakes a head that has to ask itself, and grants nothing past it', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.claim('p2:1', 1);
    await scripts.claim('p3:1', 1, { queue: 2 });
    expect(await scripts.published(() => scripts.withdraw('p1:1'))).toEqual(['bedrock_wake:p2 +pool']);
    expect(await scripts.held()).toEqual({});
  });

  it('passes dead heads by', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.enqueue('dead', { ageMs: 2_000, ask: ' 1 5000 1 4' });
    await scripts.enqueue('p2', { ask: ' 7 5000 1 4' });
    await scripts.withdraw('p1:1');
    expect(await scripts.held()).toEqual({ 'p2:7': '1', held: '1' });
    expect(await scripts.db.keys('*order*')).toEqual([]);
  });

  it('leaves the queue, and serves those behind', async () => {
    await scripts.claim('p1:1', 3);
    await scripts.claim('p2:1', 2, { queue: 2 });
    await scripts.claim('p3:1', 1, { queue: 2 });
    const messages = await scripts.published(() => scripts.withdraw('p2:1', { leave: 1 }));
    expect(messages).toEqual([expect.stringMatching(/^bedrock_wake:p3 =1 /)]);
    expect(await scripts.held()).toEqual({ 'p1:1': '3', 'p3:1': '1', held: '4' });
  });

  it('never grants by itself what was withdrawn: a process that stays in the queue has to ask', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.claim('p2:1', 1, { queue: 2 });
    await scripts.withdraw('p2:1');
    expect(await scripts.queue()).toEqual(['p2']);
    expect(await scripts.published(() => scripts.withdraw('p1:1'))).toEqual(['bedrock_wake:p2 +pool']);
    expect(await scripts.held()).toEqual({});
  });

  it('keeps permits for the rest of their least time, never longer than they had, and serves no waiter', async () => {
    await scripts.claim('p1:1', 4, { lease: 5_000 });
    await scripts.claim('p2:1', 1, { queue: 2 });
    const messages = await scripts.published(async () => {
      expect(await scripts.withdraw('p1:1', { keepMs: 8_000 })).toBe(1);
      expect(await scripts.db.pttl(ENDS)).toBeLessThanOrEqual(5_000);
      expect(await scripts.withdraw('p1:1', { keepMs: 700 })).toBe(1);
    });
    expect(messages).toEqual([]);
    for (const key of [UNITS, ENDS]) {
      expect(await scripts.db.pttl(key)).toBeLessThanOrEqual(700);
      expect(await scripts.db.pttl(key)).toBeGreaterThan(0);
    }
    expect(await scripts.held()).toEqual({ 'p1:1': '4', held: '4' });
  });

  it('lets the keys live no longer than the permits that are left', async () => {
    await scripts.claim('p1:1', 1, { lease: 2_000 });
    await scripts.claim('p2:1', 1, { lease: 30_000 });
    expect(await scripts.withdraw('p2:1')).toBe(1);
    for (const key of [UNITS, ENDS]) expect(await scripts.db.pttl(key)).toBeLessThanOrEqual(2_000);
    expect(await scripts.held()).toEqual({ 'p1:1': '1', held: '1' });
  });

  it('answers each item for itself', async () => {
    await scripts.db.set(ENDS.replace('pool', 'text'), 'no semaphore');
    await scripts.claim('p1:1');
    const keys = ['text', 'pool'].flatMap(keysOf);
    const reply = await scripts.runItems(LEASE_SEMAPHORE_WITHDRAW, keys, 'p1:0', 0, 0, 'p1:1', 0, 0);
    expect(reply).toEqual([expect.stringMatching(/WRONGTYPE/), 1]);
  });
});

describe('renew of permits', () => {
  it('pushes the end of the own lease alone, and never lowers it', async () => {
    await scripts.claim('p1:1', 1, { lease: 3_000 });
    await scripts.claim('p2:1', 1, { lease: 2_000 });
    expect(await scripts.renew('p1:1', 9_000)).toBe(1);
    for (const key of [UNITS, ENDS]) expect(await scripts.db.pttl(key)).toBeGreaterThan(8_000);
    expect(Number(await scripts.db.zscore(ENDS, 'p2:1')) - (await scripts.now())).toBeLessThanOrEqual(2_000);
    expect(await scripts.renew('p1:1', 10)).toBe(1);
    expect(await scripts.db.pttl(ENDS)).toBeGreaterThan(8_000);
  });

  it('tells lost, ended, revoked and bad keys apart and creates nothing', async () => {
    await scripts.claim('p1:1', 1, { lease: 3_000 });
    await scripts.revoke('atExpiry');
    await scripts.claim('p1:2');
    await scripts.end('p1:2');
    await scripts.db.set('bedrock_units_ends:{text}', 'no semaphore');
    const keys = ['pool', 'pool', 'pool', 'gone', 'text'].flatMap(keysOf);
    const ids = ['p1:1', 'p1:2', 'p9:1', 'p1:1', 'p1:1'];
    expect(await scripts.run(LEASE_SEMAPHORE_RENEW, keys, ...ids.flatMap((id) => [id, 9_000]))).toEqual([
      ...[2, 0, 0, 0],
      expect.stringMatching(/WRONGTYPE/),
    ]);
    expect(await scripts.db.keys('*gone*')).toEqual([]);
  });
});

describe('inspect of permits', () => {
  it('shows who holds how many for how long, and not what has ended', async () => {
    expect(await scripts.inspect()).toEqual([]);
    await scripts.claim('p1:1', 3, { lease: 4_000 });
    await scripts.claim('p2:1', 1);
    await scripts.end('p2:1');
    expect(await scripts.inspect()).toEqual(['p1:1', expect.any(Number), '3']);
    const [, rest] = (await scripts.inspect()) as [string, number];
    expect(rest).toBeGreaterThan(3_000);
    expect(rest).toBeLessThanOrEqual(4_000);
  });
});

describe('revoke of permits', () => {
  it('says that none is held', async () => {
    expect(await scripts.revoke('now')).toBe(0);
    expect(await scripts.revoke('atExpiry')).toBe(0);
    await scripts.claim('p1:1');
    await scripts.end('p1:1');
    expect(await scripts.revoke('now')).toBe(0);
    expect(await scripts.db.keys('*')).toEqual([]);
  });

  it('marks each lease, keeps its life, and tells each process once', async () => {
    await scripts.claim('p1:1', 2, { lease: 3_000 });
    await scripts.claim('p1:2', 1, { lease: 3_000 });
    await scripts.claim('p2:1', 1, { lease: 3_000 });
    const messages = await scripts.published(async () => {
      expect(await scripts.revoke('atExpiry')).toBe(1);
      expect(await scripts.revoke('atExpiry')).toBe(1);
    });
    expect(messages.sort()).toEqual(
      ['bedrock_wake:p1 !pool', 'bedrock_wake:p2 !pool'].flatMap((one) => [one, one]),
    );
    expect(await scripts.held()).toEqual({
      'p1:1': '2 revoked',
      'p1:2': '1 revoked',
      'p2:1': '1 revoked',
      held: '4',
    });
    expect(await scripts.db.pttl(ENDS)).toBeLessThanOrEqual(3_000);
    expect(await scripts.withdraw('p1:1')).toBe(1);
    expect(await scripts.held()).toEqual({ 'p1:2': '1 revoked', 'p2:1': '1 revoked', held: '2' });
  });

  it('frees all permits now, serves the queue and tells the holders', async () => {
    await scripts.claim('p1:1', 4);
    await scripts.claim('p2:1', 3, { queue: 2 });
    const messages = await scripts.published(async () => expect(await scripts.revoke('now')).toBe(1));
    expect(messages).toEqual([
      expect.stringMatching(/^bedrock_wake:p2 =1 0 0 1000 \d+ pool$/),
      'bedrock_wake:p1 !pool',
    ]);
    expect(await scripts.held()).toEqual({ 'p2:1': '3', held: '3' });
  });
});
