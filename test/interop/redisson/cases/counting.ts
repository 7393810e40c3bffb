import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { liveness, eventually, sharedNow } from 'bedrock-testkit';
import { handOvers, stamped, byMessage } from '../hand-over.js';
import { LONG_MS, type Site } from '../site.js';

/** A waiter served within this time, in ms, was woken by a message, not by the sweep. */
const PROMPT_MS = 100;
/** Half of the hand-overs take less. */
const HAND_OVER_MS = 50;
/** Enough for a median where each round takes a while. */
const FEW_ROUNDS = 5;

export function countingCases(version: string, openSite: () => Site): void {
  describe(`what Redisson ${version} and Bedrock count together`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    describe('a latch', () => {
      it('has one count for both, and keeps it when either sets it again', async () => {
        const name = site.freshName();
        const java = site.thread().latch(name);
        const latch = (await site.bedrock()).countdownLatch(name);
        expect((await java.trySetCount(3)).value).toBe(true);
        expect(await latch.trySetCount(9)).toBe(false);
        expect(await latch.countDown()).toBe(2);
        expect((await java.count()).value).toBe(2);
        await java.countDown();
        expect(await latch.getCount()).toBe(1);
        expect(await latch.countDown()).toBe(0);
        expect((await java.count()).value).toBe(0);
        expect(await latch.trySetCount(2)).toBe(true);
        expect((await java.trySetCount(5)).value).toBe(false);
        expect((await java.count()).value).toBe(2);
      });

      it('lets waiters in Java pass when Node counts it down, or ends it', async () => {
        const bedrock = await site.bedrock();
        for (const end of ['countDown', 'delete'] as const) {
          const timings = await handOvers(async () => {
            const name = site.freshName();
            const java = site.thread().latch(name);
            await java.trySetCount(1);
            const waiting = java.await(LONG_MS);
            await site.someoneWaits(name);
            const start = sharedNow();
            await bedrock.countdownLatch(name)[end]();
            const { value, endedAt } = await waiting;
            expect(value).toBe(true);
            return endedAt - start;
          }, FEW_ROUNDS);
          liveness.assertMedian('the median hand-over', PROMPT_MS, timings);
        }
      });

      it('lets waiters in Node pass when Java counts it down', async () => {
        const bedrock = await site.bedrock();
        const timings = await handOvers(async () => {
          const name = site.freshName();
          const java = site.thread().latch(name);
          await java.trySetCount(1);
          const waiting = stamped(bedrock.countdownLatch(name).await());
          await site.someoneWaits(name);
          const { beganAt } = await java.countDown();
          return (await waiting).at - beganAt;
        });
        liveness.assertMedian('the median hand-over', HAND_OVER_MS, timings);
      });
    });

    describe('a semaphore', () => {
      it('has one number of permits for both', async () => {
        const name = site.freshName();
        const java = site.thread().semaphore(name);
        const semaphore = (await site.bedrock()).countingSemaphore(name);
        expect((await java.trySetPermits(5)).value).toBe(true);
        expect(await semaphore.trySetPermits(9)).toBe(false);
        await semaphore.acquire(2);
        await java.acquire(2);
        expect(await semaphore.tryAcquire(2)).toBe(false);
        expect((await java.tryAcquire(2, 0)).value).toBe(false);
        await java.release(4);
        expect(await semaphore.availablePermits()).toBe(5);
        expect(await semaphore.addPermits(2)).toBe(7);
        expect((await java.drainPermits()).value).toBe(7);
        await java.addPermits(3);
        expect(await semaphore.drainPermits()).toBe(3);
        expect(await semaphore.addPermits(-1)).toBe(-1);
        expect((await java.availablePermits()).value).toBe(-1);
        // Below zero there is nothing to tell, and Redisson could not read it.
        expect(await semaphore.release(1)).toBe('released');
        await java.release(1);
        expect(await semaphore.tryAcquire()).toBe(true);
      });

      it('wakes waiters in Java when Node gives permits, one or several', async () => {
        const bedrock = await site.bedrock();
        for (const permits of [1, 3]) {
          const timings = await handOvers(async () => {
            const name = site.freshName();
            const java = site.thread().semaphore(name);
            await java.trySetPermits(permits);
            await bedrock.countingSemaphore(name).acquire(permits);
            const waiting = java.acquire(permits);
            await site.someoneWaits(name);
            const start = sharedNow();
            await bedrock.countingSemaphore(name).release(permits);
            return (await waiting).endedAt - start;
          }, FEW_ROUNDS);
          liveness.assertMedian('the median hand-over', PROMPT_MS, timings);
        }
      });

      it('wakes waiters in Node when Java gives a permit', async () => {
        const bedrock = await site.bedrock();
        const timings = await handOvers(async () => {
          const name = site.freshName();
          const java = site.thread().semaphore(name);
          await java.trySetPermits(1);
          await java.acquire();
          const waiting = stamped(bedrock.countingSemaphore(name).acquire());
          await site.someoneWaits(name);
          const { beganAt } = await java.release();
          return (await waiting).at - beganAt;
        });
        liveness.assertMedian('the median hand-over', HAND_OVER_MS, timings);
      });

      it('serves the remaining waiters when others of both sides give up, or die', async () => {
        const name = site.freshName();
        const java = site.thread().semaphore(name);
        const semaphore = (await site.bedrock()).countingSemaphore(name);
        await java.trySetPermits(1);
        await java.acquire();
        const doomed = await site.java();
        const died = site.thread(doomed).semaphore(name).acquire();
        died.catch(() => undefined);
        const [ofJava, ofNode] = [
          site.thread().semaphore(name).tryAcquire(1, 100),
          semaphore.acquire(1, { waitMs: 100 }),
        ];
        ofNode.catch(() => undefined);
        const left = [site.thread().semaphore(name).acquire(), semaphore.acquire()];
        // Two JVMs and a Bedrock.
        await site.someoneWaits(name, 3);
        expect((await ofJava).value).toBe(false);
        await expect(ofNode).rejects.toMatchObject({ code: 'LOCK_WAIT_TIMEOUT' });
        await doomed.halt();
        await byMessage('the hand-over of both permits', async () => {
          await java.release();
          await Promise.race(left);
          await semaphore.release();
          await Promise.all(left);
        });
      });
    });

    describe('a semaphore whose permits expire', () => {
      it('has permits that either side may release and extend', async () => {
        const name = site.freshName();
        const java = site.thread().expirableSemaphore(name);
        const semaphore = (await site.bedrock()).expirableSemaphore(name);
        expect((await java.trySetPermits(4)).value).toBe(true);
        expect(await semaphore.trySetPermits(9)).toBe(false);
        const mine = await semaphore.acquireMany(2, { leaseMs: 20_000 });
        const { value: theirs } = await java.acquire(2, 20_000);
        expect(theirs).toHaveLength(2);
        expect([await semaphore.availablePermits(), (await java.availablePermits()).value]).toEqual([0, 0]);
        expect((await java.updateLeaseTime(mine[0]!.id, 60_000)).value).toBe(true);
        expect(await semaphore.extend(theirs[0]!, 60_000)).toBe(true);
        for (const id of [mine[0]!.id, theirs[0]!]) {
          expect(
            Number(await site.admin.zscore(`{${name}}:timeout`, Buffer.from(id, 'hex'))),
          ).toBeGreaterThan(Date.now() + 50_000);
        }
        expect((await java.tryRelease(mine.map(({ id }) => id))).value).toBe(2);
        expect(await mine[0]!.release()).toBe('lost');
        for (const id of theirs) expect(await semaphore.release(id)).toBe('released');
        expect((await java.tryRelease(theirs)).value).toBe(0);
        expect((await java.availablePermits()).value).toBe(4);
      });

      it('takes permits back that the other side let expire, and never those without an end', async () => {
        const name = site.freshName();
        const java = site.thread().expirableSemaphore(name);
        const semaphore = (await site.bedrock()).expirableSemaphore(name);
        await java.trySetPermits(3);
        const [endless] = (await java.acquire(1)).value;
        const mine = await semaphore.acquire({ leaseMs: Infinity });
        const timings = await handOvers(async () => {
          await java.acquire(1, 300);
          const start = sharedNow();
          const { value: permit, at } = await stamped(semaphore.acquire());
          await permit.release();
          return at - start;
        }, FEW_ROUNDS);
        liveness.assertMedian('the median hand-over', 300 + PROMPT_MS, timings);
        const next = await semaphore.acquire({ leaseMs: 300 });
        const { value: again } = await java.tryAcquire(1, 5_000, 20_000);
        expect(again).toHaveLength(1);
        expect(await next.release()).toBe('lost');
        expect((await java.tryAcquire(1, 500, 20_000)).value).toEqual([]);
        expect((await java.tryRelease([mine.id])).value).toBe(1);
        expect(await semaphore.release(endless!)).toBe('released');
        expect((await java.availablePermits()).value).toBe(2);
      });

      it('wakes the waiters of the other side', async () => {
        const name = site.freshName();
        const java = site.thread().expirableSemaphore(name);
        const semaphore = (await site.bedrock()).expirableSemaphore(name);
        await java.trySetPermits(1);
        const toJava = await handOvers(async () => {
          const mine = await semaphore.acquire({ leaseMs: LONG_MS });
          const waiting = java.acquire(1, LONG_MS);
          await site.someoneWaits(name);
          const start = sharedNow();
          await mine.release();
          const { value: ids, endedAt } = await waiting;
          await java.release(ids);
          return endedAt - start;
        }, FEW_ROUNDS);
        liveness.assertMedian('the median hand-over', PROMPT_MS, toJava);
        const toNode = await handOvers(async () => {
          const { value: held } = await java.acquire(1, LONG_MS);
          const next = stamped(semaphore.acquire());
          await site.someoneWaits(name);
          const { beganAt } = await java.release(held);
          const { value: permit, at } = await next;
          await permit.release();
          return at - beganAt;
        });
        liveness.assertMedian('the median hand-over', HAND_OVER_MS, toNode);
      });
    });

    it('leaves nothing of Bedrock on the server', async () => {
      const name = site.freshName();
      const bedrock = await site.bedrock();
      const latch = bedrock.countdownLatch(name);
      await latch.trySetCount(1);
      await latch.countDown();
      await bedrock.close();
      await eventually('no key is left', async () => (await site.admin.keys(`*${name}*`)).length === 0);
    });
  });
}
