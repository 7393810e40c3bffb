import { FAIR_MUTEX, type Wake } from 'bedrock-lock/backend';
import { eventually } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import {
  FAIR_CLAIM,
  FAIR_REVOKE,
  FAIR_WITHDRAW,
  type Script,
} from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
const QUEUE = 'redisson_lock_queue:{lock}';
const TIMES = 'redisson_lock_timeout:{lock}';
const ASKS = 'bedrock_fair:{lock}';
const KEYS = ['lock', QUEUE, TIMES, ASKS];
/** What Redisson gives each waiter, ms. */
const WAIT_MS = 300_000;
const NEVER_STALE = 9_999_999_999_999;
let db: Redis;

beforeAll(async () => {
  await fixture.start();
  db = fixture.observer;
});
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

function run(script: Script, keys: readonly string[], ...args: readonly (string | number)[]) {
  return db.eval(script.source, keys.length, ...keys, ...args);
}

/** @param queue 0 only tries, 1 joins the queue, 2 may be granted without asking again */
async function claim(id: string, { lease = 10_000, tokens = 0, queue = 2 } = {}): Promise<unknown> {
  const reply = await run(FAIR_CLAIM, ['bedrock_token', ...KEYS], id, lease, NEVER_STALE, tokens, queue, 1);
  return (reply as unknown[])[1];
}

function withdraw(id: string, keepMs = 0) {
  return run(FAIR_WITHDRAW, ['bedrock_token', ...KEYS], id, keepMs, 1);
}

async function now(): Promise<number> {
  const [seconds, micros] = await db.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** A waiter of Redisson, as its own script writes it. */
async function javaWaits(id: string, untilMs: number): Promise<void> {
  await db.rpush(QUEUE, id);
  await db.zadd(TIMES, untilMs, id);
}

/** Makes the last sign of a waiter older. */
async function silence(id: string, ms: number): Promise<void> {
  const ask = (await db.hget(ASKS, id))!;
  await db.hset(
    ASKS,
    id,
    ask.replace(/^\d+/, (at) => String(Number(at) - ms)),
  );
}

async function published(act: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const subscriber = new Redis(fixture.server.port);
  subscriber.on('pmessage', (_pattern, channel: string, message: string) =>
    heard.push(`${channel} ${message}`),
  );
  await subscriber.psubscribe('*');
  await act();
  await db.publish('end', '');
  await eventually('the end', () => heard.at(-1)?.startsWith('end') === true);
  subscriber.disconnect();
  return heard.slice(0, -1);
}

describe('the queue of a fair mutex', () => {
  it('has the keys of RFairLock, and times as Redisson counts them', async () => {
    const before = await now();
    await claim('p1:1', { lease: 8_000 });
    expect(await db.exists(QUEUE, TIMES, ASKS)).toBe(0);
    await claim('p2:1');
    const after = await now();
    await claim('p1:2');
    expect(await db.hgetall('lock')).toEqual({ 'p1:1': '1' });
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['p2:1', 'p1:2']);
    const [first, second] = [await db.zscore(TIMES, 'p2:1'), await db.zscore(TIMES, 'p1:2')].map(Number);
    // It counts from the end of the grant.
    expect(first!).toBeGreaterThanOrEqual(before + 8_000 + WAIT_MS);
    expect(first!).toBeLessThanOrEqual(after + 8_000 + WAIT_MS);
    expect(second! - first!).toBe(WAIT_MS);
  });

  it('keeps its place when it asks again', async () => {
    await claim('p1:1');
    await claim('p2:1');
    await claim('p3:1');
    await claim('p2:1');
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['p2:1', 'p3:1']);
  });

  it('is left by a claim that is withdrawn, and the claims behind it are served sooner', async () => {
    await claim('p1:1');
    for (const id of ['p2:1', 'p3:1', 'p4:1']) await claim(id);
    const before = Number(await db.zscore(TIMES, 'p4:1'));
    await withdraw('p3:1');
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['p2:1', 'p4:1']);
    expect(Number(await db.zscore(TIMES, 'p4:1'))).toBe(before - WAIT_MS);
    expect(await db.hexists(ASKS, 'p3:1')).toBe(0);
  });

  it('takes a claim out of the queue with its grant, as Redisson does', async () => {
    await claim('p1:1');
    await claim('p2:1', { queue: 1 });
    await claim('p3:1', { queue: 1 });
    const before = Number(await db.zscore(TIMES, 'p3:1'));
    await withdraw('p1:1');
    expect(await claim('p2:1')).toBe(0);
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['p3:1']);
    expect(Number(await db.zscore(TIMES, 'p3:1'))).toBe(before - WAIT_MS);
  });

  it('leaves those behind it the whole of their own time', async () => {
    await javaWaits('java:7', (await now()) - 1);
    const until = (await now()) + 5_000;
    await javaWaits('java:8', until);
    await claim('p1:1');
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['java:8', 'p1:1']);
    expect(Number(await db.zscore(TIMES, 'java:8'))).toBe(until);

    await db.flushall();
    // It has waited for nearly as long as Redisson gives it.
    await claim('p1:1');
    await claim('p2:1', { queue: 1 });
    const before = await now();
    await db.zadd(TIMES, before + 4_000, 'p2:1');
    await javaWaits('java:8', before + 9_000);
    await withdraw('p1:1');
    expect(await claim('p2:1')).toBe(0);
    const served = Number(await db.zscore(TIMES, 'java:8'));
    expect(served).toBeGreaterThanOrEqual(before + 5_000);
    expect(served).toBeLessThanOrEqual((await now()) + 5_000);
  });

  it('is not overtaken', async () => {
    await claim('p1:1');
    await claim('p2:1', { queue: 1 });
    await withdraw('p1:1');
    const [retry, holder] = (await claim('p3:1', { queue: 0 })) as [number, string?];
    expect(holder).toBeUndefined();
    expect(retry).toBeGreaterThan(0);
    expect(retry).toBeLessThanOrEqual(1_001);
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['p2:1']);
  });

  it('loses a head of Bedrock that is silent for a second, and tells the next', async () => {
    await claim('p1:1');
    for (const id of ['p2:1', 'p3:1', 'p4:1']) await claim(id, { queue: 1 });
    await withdraw('p1:1');
    await silence('p2:1', 1_001);
    expect(await published(() => claim('p4:1'))).toEqual(['bedrock_wake:p3 *1 lock']);
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['p3:1', 'p4:1']);
  });

  it('keeps a head of Redisson until its time, and no longer', async () => {
    await javaWaits('java:7', (await now()) + 60_000);
    expect(await claim('p1:1')).toEqual([expect.any(Number)]);
    await db.zadd(TIMES, (await now()) - 1, 'java:7');
    expect(await claim('p1:1')).toBe(0);
    expect(await db.lrange(QUEUE, 0, -1)).toEqual([]);
  });
});

describe('a release of a fair mutex', () => {
  it('grants to the head at once, for a second at most', async () => {
    await claim('p1:1');
    await claim('p2:5', { tokens: 3 });
    await claim('p3:1');
    const [grantMessage, ...more] = await published(() => withdraw('p1:1'));
    expect(more).toEqual([]);
    expect(grantMessage).toMatch(/^bedrock_wake:p2 =5 \d+ 3 1000 \d+ lock$/);
    expect(await db.hgetall('lock')).toEqual({ 'p2:5': '1' });
    expect(await db.pttl('lock')).toBeLessThanOrEqual(1_000);
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['p3:1']);
  });

  it('wakes a head that has to ask itself, by its claim', async () => {
    await claim('p1:1');
    await claim('p2:5', { queue: 1 });
    expect(await published(() => withdraw('p1:1'))).toEqual(['bedrock_wake:p2 *5 lock']);
    expect(await db.exists('lock')).toBe(0);
  });

  it('wakes a head of Redisson on its own channel, and never grants to it', async () => {
    await claim('p1:1');
    await javaWaits('java:7', (await now()) + 60_000);
    await claim('p2:1');
    expect(await published(() => withdraw('p1:1'))).toEqual(['redisson_lock__channel:{lock}:java:7 0']);
    expect(await db.exists('lock')).toBe(0);
    expect(await db.lrange(QUEUE, 0, -1)).toEqual(['java:7', 'p2:1']);
  });

  it('tells no process when none waits', async () => {
    await claim('p1:1');
    expect(await published(() => withdraw('p1:1'))).toEqual([]);
    expect(await db.keys('*lock*')).toEqual([]);
  });

  it('passes over the dead of both kinds', async () => {
    await claim('p1:1');
    await claim('dead:1');
    await javaWaits('java:7', (await now()) - 1);
    await claim('p2:1');
    await silence('dead:1', 1_001);
    await withdraw('p1:1');
    expect(await db.hkeys('lock')).toEqual(['p2:1']);
  });

  it('never touches the grant of another claim', async () => {
    await claim('p1:1');
    expect(await withdraw('p2:1')).toBe(0);
    expect(await db.hkeys('lock')).toEqual(['p1:1']);
  });
});

describe('a forced release of a fair mutex', () => {
  it('tells the holder and the head', async () => {
    await claim('p1:1');
    await claim('p2:5');
    expect(await published(() => run(FAIR_REVOKE, KEYS, 'now'))).toEqual([
      'bedrock_wake:p2 *5 lock',
      'bedrock_wake:p1 !lock',
    ]);
    expect(await db.exists('lock')).toBe(0);
  });
});

describe('a release by Redisson', () => {
  it('wakes the claim that it names, and no other', async () => {
    const backend = await fixture.backend();
    const heard: (Wake | undefined)[] = [];
    const name = 'odd [lock]*?';
    const stop = await backend.leases.watch(name, FAIR_MUTEX, (wake) => heard.push(wake));
    const channel = `redisson_lock__channel:{${name}}:${backend.processId}`;
    await db.publish(`${channel}:7`, '0');
    await eventually('a wake', () => heard.length === 1);
    expect(heard).toEqual([{ claimId: `${backend.processId}:7` }]);
    stop();
    await eventually('no process listens', async () => (await db.call('pubsub', 'NUMPAT')) === 0);
  });

  it('is heard again after the connection was lost', async () => {
    const backend = await fixture.backend();
    const heard: (Wake | undefined)[] = [];
    await backend.leases.watch('lock', FAIR_MUTEX, (wake) => heard.push(wake));
    await db.call('client', 'KILL', 'TYPE', 'pubsub');
    // The new subscription wakes every waiter.
    await eventually('the connection is back', () => heard.length === 1);
    await db.publish(`redisson_lock__channel:{lock}:${backend.processId}:9`, '0');
    await eventually('a wake', () => heard.length === 2);
  });
});
