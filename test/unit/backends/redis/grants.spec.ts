import type { Backend } from 'bedrock-lock';
import { MUTEX, type Claim, type Wake } from 'bedrock-lock/backend';
import { claimOf, eventually, FREE, granted, refusalOf } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
let mine: Backend;
let other: Backend;

beforeAll(() => fixture.start());
beforeEach(async () => {
  mine = await fixture.backend();
  other = await fixture.backend();
});
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

/** A claim of the other process that was refused and is in the queue, and what its process hears from then on. */
async function queued(terms: Partial<Claim> = {}): Promise<{ claim: Claim; heard: (Wake | undefined)[] }> {
  const heard: (Wake | undefined)[] = [];
  await other.leases.watch('lock', MUTEX, (wake) => heard.push(wake));
  const claim = claimOf(other, 'lock', { mayPush: true, tokens: 3, ...terms });
  refusalOf(await other.leases.claim(claim));
  return { claim, heard };
}

const hears = (heard: readonly unknown[]): Promise<void> => eventually('a wake', () => heard.length > 0);

const holders = (): Promise<string[]> => fixture.observer.hkeys('lock');

describe('a release grants to the first in the queue', () => {
  it('and tells it, with tokens that grow and a start that is not later than the grant', async () => {
    const held = await granted(mine, 'lock', { tokens: 1 });
    const { claim, heard } = await queued();
    const before = performance.now();
    await mine.leases.withdraw(held, FREE);
    await hears(heard);
    expect(await holders()).toEqual([claim.id]);
    const { claimId, grant } = heard[0]!;
    expect(claimId).toBe(claim.id);
    expect(grant!.token).toBeGreaterThan(held.token);
    expect(grant!.tokens).toBe(3);
    expect(grant!.since).toBeLessThanOrEqual(performance.now());
    // The drift that is taken off, and the round trip of the sample.
    expect(grant!.since).toBeGreaterThan(before - 100);
    const next = await granted(mine, 'elsewhere', { tokens: 1 });
    expect(next.token).toBeGreaterThan(grant!.token + grant!.tokens - 1);
    expect(await fixture.observer.keys('bedrock_order*')).toEqual([]);
  });

  it('for a second at most, and for the whole lease from its first renewal on', async () => {
    const held = await granted(mine, 'lock');
    const { claim, heard } = await queued({ leaseMs: 10_000 });
    await mine.leases.withdraw(held, FREE);
    await hears(heard);
    expect(heard[0]!.grant!.leaseMs).toBe(1_000);
    expect(await fixture.observer.pttl('lock')).toBeLessThanOrEqual(1_000);
    expect(await other.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['renewed']);
    expect(await fixture.observer.pttl('lock')).toBeGreaterThan(9_000);
  });

  it('for its own lease when that is shorter', async () => {
    const held = await granted(mine, 'lock');
    const { heard } = await queued({ leaseMs: 300 });
    await mine.leases.withdraw(held, FREE);
    await hears(heard);
    expect(heard[0]!.grant!.leaseMs).toBe(300);
    expect(await fixture.observer.pttl('lock')).toBeLessThanOrEqual(300);
  });

  it('and grants the same once more to a claim that asks because the message was lost', async () => {
    const held = await granted(mine, 'lock');
    const { claim } = await queued();
    await mine.leases.withdraw(held, FREE);
    const again = { ...claim, notAfter: performance.now() + 1_000 };
    expect(await other.leases.claim(again)).toMatchObject({ kind: 'granted' });
    expect(await fixture.observer.pttl('lock')).toBeGreaterThan(9_000);
  });
});

describe('a release grants nothing by itself', () => {
  /** The lock is free, and the first in the queue was woken to ask. */
  async function expectsToBeAsked(heard: readonly (Wake | undefined)[]): Promise<void> {
    await hears(heard);
    expect(heard[0]).toBeUndefined();
    expect(await holders()).toEqual([]);
  }

  it('to a claim that has to ask itself', async () => {
    const held = await granted(mine, 'lock');
    const { heard } = await queued({ mayPush: false });
    await mine.leases.withdraw(held, FREE);
    await expectsToBeAsked(heard);
  });

  it('under an id that was withdrawn, while its process stays in the queue', async () => {
    const held = await granted(mine, 'lock');
    const { claim, heard } = await queued();
    await other.leases.withdraw(claim, { keepMs: 0, leaveQueue: false });
    await mine.leases.withdraw(held, FREE);
    await expectsToBeAsked(heard);
  });

  it('while a waiter is in no queue', async () => {
    const held = await granted(mine, 'lock');
    const { heard } = await queued();
    const java = new Redis(fixture.server.port);
    try {
      await java.subscribe('redisson_lock__channel:{lock}');
      await mine.leases.withdraw(held, FREE);
      await expectsToBeAsked(heard);
    } finally {
      java.disconnect();
    }
  });

  it('on a server that may have lost grants', async () => {
    const guarded = { restartGuard: true, coldStart: 'trust' } as const;
    [mine, other] = [await fixture.backend(guarded), await fixture.backend(guarded)];
    const held = await granted(mine, 'lock');
    const { heard } = await queued();
    await mine.leases.withdraw(held, FREE);
    await expectsToBeAsked(heard);
  });

  it('to a head that has been silent for a second', async () => {
    const held = await granted(mine, 'lock');
    await queued();
    const [process] = await fixture.observer.hkeys('bedrock_asks:{lock}');
    const ask = (await fixture.observer.hget('bedrock_asks:{lock}', process!))!;
    await fixture.observer.hset(
      'bedrock_asks:{lock}',
      process!,
      ask.replace(/^\d+/, (at) => String(Number(at) - 1_001)),
    );
    await mine.leases.withdraw(held, FREE);
    expect(await holders()).toEqual([]);
    expect(await fixture.observer.keys('bedrock_order*')).toEqual([]);
  });

  it('before the one in front has kept the others out as long as it was to', async () => {
    const held = await granted(mine, 'lock', { holdAtLeastMs: 5_000 });
    await queued();
    await mine.leases.withdraw(held, { keepMs: 4_000, leaveQueue: true });
    expect(await holders()).toEqual([held.id]);
  });
});
