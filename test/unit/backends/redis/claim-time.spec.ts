import { setTimeout as sleep } from 'node:timers/promises';
import { FREE, granted } from 'bedrock-testkit';
import { CLAIM } from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
const LOCK = 'lock';
const QUEUE = 'bedrock_order:{lock}';
const KEYS = ['bedrock_token', LOCK, QUEUE, 'bedrock_asks:{lock}'];
const ALWAYS = 9_999_999_999_999;
/** The client asks for the time again after this long, in ms. */
const ASK_MS = 250;

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

interface ClaimOptions {
  readonly before?: number;
  readonly lease?: number;
  readonly tokens?: number;
  readonly queue?: number;
  readonly tell?: number;
}

/** One claim: the time in the reply, or 0 without one, and the answer. */
async function claim(
  id: string,
  { before = ALWAYS, lease = 10_000, tokens = 0, queue = 0, tell = 0 }: ClaimOptions,
): Promise<[number, unknown]> {
  const args = [id, lease, before, tokens, queue, tell];
  const reply = await fixture.observer.eval(CLAIM.source, KEYS.length, ...KEYS, ...args);
  return Array.isArray(reply) ? (reply as [number, unknown]) : [0, reply];
}

async function serverNow(): Promise<number> {
  const [seconds, micros] = await fixture.observer.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** How often the server was asked for its time by scripts, and to end a key at a time. */
async function counts(): Promise<{ time: number; pexpireat: number }> {
  const stats = await fixture.observer.info('commandstats');
  const of = (name: string): number =>
    Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
  return { time: of('time'), pexpireat: of('pexpireat') };
}

describe.each([
  [1, 'by the clock'],
  [0, 'by an expiry'],
])('a claim that asks for the time: %i', (tell, how) => {
  it(`is stale when it comes too late, and granted in time, ${how}`, async () => {
    const now = await serverNow();
    const [told, answer] = await claim('p1:1', { before: now, tell });
    expect(answer).toBe(-1);
    expect(told).toBeGreaterThanOrEqual(now);
    expect(await fixture.observer.exists(LOCK)).toBe(0);
    expect((await claim('p1:2', { before: now + 5_000, lease: 20_000, tell }))[1]).toBe(0);
    expect(await fixture.observer.hgetall(LOCK)).toEqual({ 'p1:2': '1' });
    expect(await fixture.observer.pttl(LOCK)).toBeGreaterThan(19_000);
  });

  it('enlists no claim that comes too late to a lock that is held', async () => {
    await claim('p1:1', {});
    expect((await claim('p2:1', { before: await serverNow(), queue: 1, tell }))[1]).toBe(-1);
    expect(await fixture.observer.exists(QUEUE)).toBe(0);
  });
});

it('tells the time to a claim that asks for it, wants a token, or finds the lock held or waited for', async () => {
  const now = await serverNow();
  const told = async (id: string, terms: ClaimOptions): Promise<boolean> => {
    const [time] = await claim(id, terms);
    return time >= now;
  };
  const plain = ['p1:1', 10_000, ALWAYS, 0, 0, 0];
  expect(await fixture.observer.eval(CLAIM.source, KEYS.length, ...KEYS, ...plain)).toBe(0);
  expect(await told('p2:1', {})).toBe(true);
  await fixture.observer.del(LOCK);
  expect(await told('p1:2', { tokens: 1 })).toBe(true);
  await fixture.observer.del(LOCK);
  expect(await told('p1:3', { tell: 1 })).toBe(true);
  await fixture.observer.del(LOCK);
  await fixture.observer.rpush(QUEUE, 'p3');
  expect(await told('p1:4', {})).toBe(true);
});

it.each([{}, { restartGuard: true, coldStart: 'trust' } as const])(
  'claims without tokens ask for the time four times a second: %j',
  async (options) => {
    const backend = await fixture.backend(options);
    const start = performance.now();
    await fixture.observer.config('RESETSTAT');
    for (let i = 0; i < 200; i += 1) {
      const mine = await granted(backend, LOCK);
      expect(await backend.leases.withdraw(mine, FREE)).toBe('released');
    }
    const { time, pexpireat } = await counts();
    expect(time).toBeLessThanOrEqual(1 + (performance.now() - start) / ASK_MS);
    expect(pexpireat).toBe(200 - time);
    await sleep(ASK_MS);
    await granted(backend, LOCK);
    expect((await counts()).time).toBe(time + 1);
  },
);

it('claims with tokens read the clock once each', async () => {
  const backend = await fixture.backend();
  await fixture.observer.config('RESETSTAT');
  for (let i = 0; i < 5; i += 1) await granted(backend, `${LOCK}${i}`, { tokens: 1 });
  expect(await counts()).toEqual({ time: 5, pexpireat: 0 });
});
