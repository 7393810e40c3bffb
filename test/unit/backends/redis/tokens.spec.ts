import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { LockNode } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import { claimOf, FREE, granted } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

describe("fencing tokens in Redisson's own key", () => {
  const counter = 'redisson_lock_token:{order}';

  it('grow over grants of Bedrock and increments of an RFencedLock', async () => {
    const mine = await fixture.backend({ tokens: 'perLock' });
    const first = await granted(mine, 'order', { tokens: 4 });
    expect(Number(await fixture.observer.get(counter))).toBe(first.token + 3);
    await mine.leases.withdraw(first, FREE);
    const javas = await fixture.observer.incr(counter);
    expect(javas).toBe(first.token + 4);
    expect((await granted(mine, 'order', { tokens: 1 })).token).toBeGreaterThan(javas);
  });

  it('grow on when the counter was lost', async () => {
    const mine = await fixture.backend({ tokens: 'perLock' });
    const first = await granted(mine, 'order', { tokens: 1_000 });
    await mine.leases.withdraw(first, FREE);
    await fixture.observer.del(counter);
    expect((await granted(mine, 'order', { tokens: 1 })).token).toBeGreaterThan(first.token);
  });

  it('exceed the time, also in a batch and under a restart guard', async () => {
    const mine = await fixture.backend({ tokens: 'perLock', restartGuard: true, coldStart: 'trust' });
    const claims = ['a', 'b', 'c'].map((name) => claimOf(mine, name, { tokens: 2 }));
    const verdicts = await Promise.all(claims.map((claim) => mine.leases.claim(claim)));
    for (const verdict of verdicts) {
      expect(verdict.kind).toBe('granted');
      expect((verdict as { token: number }).token).toBeGreaterThan((Date.now() - 60_000) * 1_000);
    }
    expect(await fixture.observer.exists('redisson_lock_token:{a}', 'redisson_lock_token:{c}')).toBe(2);
    expect(await fixture.observer.exists('bedrock_token')).toBe(0);
  });

  it('write no key for a lock without fencing', async () => {
    const mine = await fixture.backend({ tokens: 'perLock' });
    await granted(mine, 'order', { tokens: 0 });
    expect(await fixture.observer.exists(counter)).toBe(0);
  });
});

describe.each([
  ['shared', 'bedrock_token'],
  ['perLock', 'redisson_lock_token:{order}'],
] as const)('tokens %s, raised for a node', (tokens, counter) => {
  const terms = { operationTimeoutMs: 1_000, maxLeaseMs: 10_000, coldStart: 'trust' } as const;

  async function node(): Promise<LockNode> {
    const recipe = fixture.unready({ tokens });
    const own = { ...terms, processId: randomUUID(), clock: systemClock, onServing: () => undefined };
    const made = recipe.asNode!(own);
    opened.push(made);
    await made.ready();
    return made;
  }
  const opened: LockNode[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((made) => made.close())));

  it('go on behind what the holder has been given elsewhere, and never back', async () => {
    const mine = await node();
    const claim = await granted(mine, 'order', { tokens: 2 });
    const far = claim.token + 3_600_000_000;
    await expect(mine.raiseToken(claim, far)).resolves.toBe('raised');
    await expect(mine.raiseToken(claim, far - 5)).resolves.toBe('raised');
    expect(await fixture.observer.get(counter)).toBe(String(far));
    await mine.leases.withdraw(claim, FREE);
    expect((await granted(mine, 'order', { tokens: 1 })).token).toBe(far + 1);
  });

  it.each(['inf', '9007199254740992', 'words'])('replace a counter that holds %s', async (junk) => {
    const mine = await node();
    const claim = await granted(mine, 'order', { tokens: 1 });
    await fixture.observer.set(counter, junk);
    await expect(mine.raiseToken(claim, claim.token + 7)).resolves.toBe('raised');
    expect(await fixture.observer.get(counter)).toBe(String(claim.token + 7));
  });

  it('stay for a claim that does not hold the lock', async () => {
    const mine = await node();
    const claim = await granted(mine, 'order', { tokens: 1 });
    const before = await fixture.observer.get(counter);
    await expect(mine.raiseToken({ ...claim, id: 'another' }, claim.token + 99)).resolves.toBe('lost');
    await mine.leases.withdraw(claim, FREE);
    await expect(mine.raiseToken(claim, claim.token + 99)).resolves.toBe('lost');
    expect(await fixture.observer.get(counter)).toBe(before);
  });
});
