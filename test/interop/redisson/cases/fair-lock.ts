import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FairMutex, Lease } from 'bedrock-lock';
import { liveness, eventually, sharedNow } from 'bedrock-testkit';
import { handOvers, byMessage } from '../hand-over.js';
import type { JavaLock } from '../java-objects.js';
import { LONG_MS, type Site } from '../site.js';

export function fairLockCases(version: string, openSite: () => Site): void {
  describe(`RFairLock of Redisson ${version} and a fair mutex of Bedrock`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    async function both(
      name = site.freshName(),
    ): Promise<{ name: string; lock: JavaLock; mutex: FairMutex }> {
      const bedrock = await site.bedrock();
      return { name, lock: site.thread().lock(name, 'fair'), mutex: bedrock.fairMutex(name) };
    }

    /** Goes through the lock when its turn comes. @returns when it was granted */
    async function inJava(name: string): Promise<number> {
      const lock = site.thread().lock(name, 'fair');
      const { endedAt } = await lock.lock(LONG_MS);
      await lock.unlock();
      return endedAt;
    }

    function inNode(mutex: FairMutex): Promise<number> {
      return mutex.run(sharedNow);
    }

    /** From a holder in Java to a waiter in Node, and on to one in Java behind it. */
    async function passOn(lock: JavaLock, waiting: Promise<Lease>, behind: Promise<number>): Promise<void> {
      // If the first one fails, the other is still waiting.
      behind.catch(() => undefined);
      const lease = await byMessage('the hand-over to Node', async () => {
        await lock.unlock();
        return waiting;
      });
      await byMessage('the hand-over to Java', async () => {
        await lease.release();
        await behind;
      });
    }

    it.each(['stock', 'shop:{42}:stock', 'склад/库存 №1'])(
      'exclude each other and stand in one line: %s',
      async (base) => {
        const { name, lock, mutex } = await both(`${base}:${site.freshName()}`);
        await lock.lock(LONG_MS);
        await expect(mutex.tryAcquire()).resolves.toBeNull();
        const waiting = mutex.acquire();
        await site.someoneWaits(name);
        const behind = inJava(name);
        await site.someoneWaits(name, 2);
        await passOn(lock, waiting, behind);
      },
    );

    it('hand over by message, from Java to Node', async () => {
      const { name, lock, mutex } = await both();
      const timings = await handOvers(async () => {
        await lock.lock(LONG_MS);
        const waiting = inNode(mutex);
        await site.someoneWaits(name);
        const { beganAt } = await lock.unlock();
        return (await waiting) - beganAt;
      });
      liveness.assertMedian('the median hand-over', 50, timings);
    });

    it('hand over by message, from Node to Java', async () => {
      const { name, mutex } = await both();
      const timings = await handOvers(async () => {
        const lease = await mutex.acquire();
        const waiting = inJava(name);
        await site.someoneWaits(name);
        const releasedAt = sharedNow();
        await lease.release();
        return (await waiting) - releasedAt;
      });
      liveness.assertMedian('the median hand-over', 50, timings);
    });

    it('serve callers of both, and of several processes, in the order of their arrival', async () => {
      const { name, lock, mutex } = await both();
      const other = (await site.bedrock()).fairMutex(name);
      await lock.lock(LONG_MS);
      const callers = [
        ...[() => inNode(mutex), () => inJava(name), () => inNode(other), () => inNode(mutex)],
        ...[() => inJava(name), () => inJava(name), () => inNode(other), () => inJava(name)],
      ];
      const served: Promise<number>[] = [];
      for (const call of callers) {
        served.push(call());
        await site.someoneWaits(name, served.length);
      }
      const times = await byMessage('eight hand-overs', async () => {
        const { beganAt } = await lock.unlock();
        return [beganAt, ...(await Promise.all(served))];
      });
      expect(times).toEqual([...times].sort((a, b) => a - b));
    });

    it('wake a waiter of Node that has to ask itself: its lease is not renewed', async () => {
      const { name, lock, mutex } = await both();
      await lock.lock(LONG_MS);
      const waiting = mutex.acquire({ renew: false, leaseMs: 5_000 });
      await site.someoneWaits(name);
      const behind = inJava(name);
      await site.someoneWaits(name, 2);
      await passOn(lock, waiting, behind);
    });

    it('show each other how deep they have entered', async () => {
      const { name, lock, mutex } = await both();
      await lock.lock();
      await lock.lock();
      const [view] = await mutex.inspect();
      expect(view).toMatchObject({ depth: 2, mode: 'exclusive' });
      expect(view!.id).toMatch(new RegExp(`^${lock.process.clientId}:\\d+$`));
      await lock.unlock();
      await expect(mutex.inspect()).resolves.toMatchObject([{ id: view!.id, depth: 1 }]);
      await lock.unlock();

      const depthIs = (depth: number) =>
        eventually(
          `depth ${depth} in Redis`,
          async () => (await site.admin.hvals(name)).join() === `${depth}`,
        );
      await mutex.run(async () => {
        await mutex.run(() => depthIs(2));
        await depthIs(1);
        await expect(lock.isLocked()).resolves.toMatchObject({ value: true });
        await expect(lock.tryLock(0)).resolves.toMatchObject({ value: false });
      });
      await expect(lock.isLocked()).resolves.toMatchObject({ value: false });
    });

    it('leave nothing behind', async () => {
      const { name, lock, mutex } = await both();
      await lock.lock();
      const served = [inNode(mutex)];
      await site.someoneWaits(name);
      served.push(inJava(name));
      await site.someoneWaits(name, 2);
      await lock.unlock();
      await Promise.all(served);
      const keys = async () =>
        (await site.admin.keys(`*${name}*`)).filter((key) => !key.startsWith('redisson_unlock_latch:'));
      await eventually('no key of the lock', async () => (await keys()).length === 0);
      await site.clean();
      await eventually('no subscription', async () => (await site.channels(name)).length === 0);
      await expect(site.admin.pubsub('NUMPAT')).resolves.toBe(0);
    });
  });
}
