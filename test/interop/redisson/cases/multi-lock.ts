import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { multiLock } from 'bedrock-lock';
import { liveness, sharedNow } from 'bedrock-testkit';
import { handOvers, stamped } from '../hand-over.js';
import { LONG_MS, type Site } from '../site.js';

export function multiLockCases(version: string, openSite: () => Site): void {
  describe(`RMultiLock of Redisson ${version} and mutexes on its members`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    it('keeps Node out of each member, and hands each over by message', async () => {
      const names = [site.freshName(), site.freshName(), site.freshName()];
      const multi = site.thread().multiLock(names);
      const bedrock = await site.bedrock();
      const mutexes = names.map((name) => bedrock.mutex(name));
      const timings = await handOvers(async () => {
        await multi.lock(LONG_MS);
        expect(await Promise.all(mutexes.map((mutex) => mutex.tryAcquire()))).toEqual([null, null, null]);
        const waiting = Promise.all(mutexes.map((mutex) => stamped(mutex.acquire())));
        for (const name of names) await site.someoneWaits(name);
        const { beganAt } = await multi.unlock();
        const granted = await waiting;
        await Promise.all(granted.map(({ value: lease }) => lease.release()));
        return Math.max(...granted.map(({ at }) => at)) - beganAt;
      });
      liveness.assertMedian('the median hand-over', 50, timings);
    });

    it('waits for the member that Node holds, and is woken by its release', async () => {
      const names = [site.freshName(), site.freshName(), site.freshName()];
      const multi = site.thread().multiLock(names);
      const mutex = (await site.bedrock()).mutex(names[1]!);
      const timings = await handOvers(async () => {
        const lease = await mutex.acquire();
        const waiting = multi.lock(LONG_MS);
        await site.someoneWaits(names[1]!);
        const releasedAt = sharedNow();
        await lease.release();
        const { endedAt } = await waiting;
        await multi.unlock();
        return endedAt - releasedAt;
      });
      liveness.assertMedian('the median hand-over', 50, timings);
    });

    it('gives up as a whole when one member stays taken', async () => {
      const names = [site.freshName(), site.freshName()];
      const bedrock = await site.bedrock();
      const lease = await bedrock.mutex(names[1]!).acquire();
      const { value } = await site.thread().multiLock(names).tryLock(100, LONG_MS);
      expect(value).toBe(false);
      await expect(bedrock.mutex(names[0]!).tryAcquire()).resolves.not.toBeNull();
      expect(lease.isHeld).toBe(true);
    });

    describe('and a multi-lock of Bedrock', () => {
      async function both() {
        const names = [site.freshName(), site.freshName(), site.freshName()];
        const bedrock = await site.bedrock();
        // Java in another order: each side sorts, or does not wait while it holds.
        const java = site.thread().multiLock([...names].reverse());
        return { names, java, node: multiLock(names.map((name) => bedrock.mutex(name))) };
      }

      it('waits for it, and takes all of its members as soon as it is over', async () => {
        const { names, java, node } = await both();
        const timings = await handOvers(async () => {
          await java.lock(LONG_MS);
          await expect(node.tryAcquire()).resolves.toBeNull();
          const waiting = stamped(node.acquire());
          await site.someoneWaits([...names].sort()[0]!);
          const { beganAt } = await java.unlock();
          const { value: lease, at } = await waiting;
          await lease.release();
          return at - beganAt;
        });
        liveness.assertMedian('the median hand-over', 50, timings);
      });

      it('keeps it out, and lets it in with its release', async () => {
        const { java, node } = await both();
        const lease = await node.acquire();
        const { value: isTaken } = await java.tryLock(100, LONG_MS);
        expect(isTaken).toBe(false);
        const waiting = java.lock(LONG_MS);
        const releasedAt = sharedNow();
        await lease.release();
        const { endedAt } = await waiting;
        await java.unlock();
        expect(endedAt - releasedAt).toBeLessThan(LONG_MS);
        await node.run(() => undefined);
      });
    });
  });
}
