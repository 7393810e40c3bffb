import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { MUTEX } from 'bedrock-lock/backend';
import { startProxy } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, liveness, refusalOf } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

/** What an attack on the backend once found; each was a defect. */
describe('the Redis backend under attack', () => {
  it('does not lock in another database when its own cannot be selected', async () => {
    const backend = fixture.unready({ url: `${fixture.server.url}/99`, operationTimeoutMs: 200 });
    const bedrock = new Bedrock({ backend });
    await expect(bedrock.ready()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await expect(bedrock.mutex('job').tryAcquire()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await fixture.observer.keys('job')).toEqual([]);
  });

  it('locks in the database that was asked for', async () => {
    const mine = await fixture.backend({ url: `${fixture.server.url}/3` });
    const claim = await granted(mine, 'job');
    expect(await fixture.observer.exists('job')).toBe(0);
    await fixture.observer.select(3);
    expect(await fixture.observer.exists('job')).toBe(1);
    await fixture.observer.select(0);
    await mine.leases.withdraw(claim, FREE);
  });

  it('harms no neighbour by a fencing counter that is something else', async () => {
    const mine = await fixture.backend({ tokens: 'perLock' });
    await fixture.observer.hset('redisson_lock_token:{bad}', 'a', '1');
    const claims = ['one', 'bad', 'two'].map((name) => claimOf(mine, name, { tokens: 1 }));
    const answers = await Promise.allSettled(claims.map((claim) => mine.leases.claim(claim)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(answers[1]).toMatchObject({ reason: { code: 'LOCK_TYPE_MISMATCH', resource: 'bad' } });
    expect(await fixture.observer.exists('bad')).toBe(0);
  });

  it('keeps the queue of {x} apart from that of x', async () => {
    const [mine, other] = [await fixture.backend(), await fixture.backend()];
    const held = await granted(mine, 'x');
    refusalOf(await other.leases.claim(claimOf(other, 'x')));
    await mine.leases.withdraw(held, FREE);
    // `other` is the head of the queue of x, and asks for nothing else.
    await granted(mine, '{x}');
  });

  it('leaves a read-write lock alone when it is to be revoked', async () => {
    const mine = await fixture.backend();
    await fixture.observer.hset('rw', 'mode', 'write', 'java:1:write', '1');
    for (const how of ['atExpiry', 'now'] as const) {
      await expect(mine.leases.revoke('rw', MUTEX, how)).rejects.toMatchObject({
        code: 'LOCK_TYPE_MISMATCH',
        detail: 'a read-write lock',
      });
    }
    expect(await fixture.observer.hgetall('rw')).toEqual({ mode: 'write', 'java:1:write': '1' });
  });

  it('leaves fields that another client put into its hash', async () => {
    const mine = await fixture.backend();
    const claim = await granted(mine, 'mixed');
    await fixture.observer.hset('mixed', 'mode', 'write', 'java:1:write', '1');
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    expect(await fixture.observer.hgetall('mixed')).toEqual({ mode: 'write', 'java:1:write': '1' });
  });

  it('notices that its subscriptions have died silently', async () => {
    const proxy = await startProxy(fixture.server.port);
    try {
      const url = `redis://127.0.0.1:${proxy.port}`;
      const mine = await fixture.backend({ url, operationTimeoutMs: 200 });
      const rings: number[] = [];
      await mine.leases.watch('lock', MUTEX, () => rings.push(performance.now()));
      // What has lost bytes stays silent for ever; the connection for commands is replaced by its next calls.
      proxy.dropReplies(true);
      await fixture.observer.publish('redisson_lock__channel:{lock}', '0');
      await mine.ping().catch(() => undefined);
      proxy.dropReplies(false);
      await eventually('it rings', () => rings.length > 0, { withinMs: 6_000 });
      const published = performance.now();
      await liveness.within('a wake', 500, async () => {
        await fixture.observer.publish('redisson_lock__channel:{lock}', '0');
        await eventually('it rings again', () => rings.at(-1)! >= published);
      });
    } finally {
      await fixture.clean();
      await proxy.stop();
    }
  }, 15_000);
});
