import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { claimOf, FREE, granted, RedisFixture } from './fixture.js';

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
