import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Mutex } from 'bedrock-lock';
import { liveness, eventually, sharedNow } from 'bedrock-testkit';
import { handOvers, stamped } from '../hand-over.js';
import type { JavaLock } from '../java-objects.js';
import { LONG_MS, type Site } from '../site.js';

export function lockCases(version: string, openSite: () => Site): void {
  describe(`RLock of Redisson ${version} and a mutex of Bedrock`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    async function both(name = site.freshName()): Promise<{ name: string; lock: JavaLock; mutex: Mutex }> {
      const bedrock = await site.bedrock();
      return { name, lock: site.thread().lock(name), mutex: bedrock.mutex(name) };
    }

    it('are timed by one clock', async () => {
      const { lock } = await both();
      const before = sharedNow();
      const { beganAt, endedAt } = await lock.isLocked();
      const times = [before, beganAt, endedAt, sharedNow()];
      expect(times).toEqual([...times].sort((a, b) => a - b));
    });

    describe.each(['stock', 'shop:{42}:stock', 'shop:stock:p%3A1', 'склад/库存 №1'])('named %s', (base) => {
      it('exclude each other', async () => {
        const { lock, mutex } = await both(`${base}:${site.freshName()}`);
        await lock.lock(LONG_MS);
        await expect(mutex.tryAcquire()).resolves.toBeNull();
        await lock.unlock();
        const lease = await mutex.acquire();
        await expect(lock.tryLock(0)).resolves.toMatchObject({ value: false });
        await lease.release();
        await expect(lock.tryLock(0)).resolves.toMatchObject({ value: true });
        await lock.unlock();
      });

      it('listen to the same channel', async () => {
        const { name, lock, mutex } = await both(`${base}:${site.freshName()}`);
        const holder = site.thread().lock(name);
        await holder.lock(LONG_MS);
        const served = [lock.lock(LONG_MS).then(() => lock.unlock()), mutex.run(() => undefined)];
        await site.someoneWaits(name, 2);
        await expect(site.channels(name)).resolves.toHaveLength(1);
        await holder.unlock();
        await Promise.all(served);
      });
    });

    it('hand over by message, from Java to Node', async () => {
      const { name, lock, mutex } = await both();
      const timings = await handOvers(async () => {
        await lock.lock(LONG_MS);
        const waiting = stamped(mutex.acquire());
        await site.someoneWaits(name);
        const { beganAt } = await lock.unlock();
        const { value: lease, at } = await waiting;
        await lease.release();
        return at - beganAt;
      });
      liveness.assertMedian('the median hand-over', 50, timings);
    });

    it('hand over by message, from Node to Java', async () => {
      const { name, lock, mutex } = await both();
      const timings = await handOvers(async () => {
        const lease = await mutex.acquire();
        const waiting = lock.lock(LONG_MS);
        await site.someoneWaits(name);
        const releasedAt = sharedNow();
        await lease.release();
        const { endedAt } = await waiting;
        await lock.unlock();
        return endedAt - releasedAt;
      });
      liveness.assertMedian('the median hand-over', 50, timings);
    });

    it('serve a waiter of Java beside one of another Bedrock', async () => {
      const { name, lock, mutex } = await both();
      const other = (await site.bedrock()).mutex(name);
      const lease = await mutex.acquire();
      const served = [lock.lock(LONG_MS).then(() => lock.unlock()), other.run(() => undefined)];
      await site.someoneWaits(name, 2);
      await liveness.within('both hand-overs', 2_000, async () => {
        await lease.release();
        await Promise.all(served);
      });
    });

    it('show Node how deep a Java thread has entered, and stay locked until it has left', async () => {
      const { lock, mutex } = await both();
      await lock.lock();
      await lock.lock();
      await expect(lock.holdCount()).resolves.toMatchObject({ value: 2 });
      const [view] = await mutex.inspect();
      expect(view).toMatchObject({ depth: 2, mode: 'exclusive', revoked: false });
      expect(view!.id).toMatch(new RegExp(`^${lock.process.clientId}:\\d+$`));
      await lock.unlock();
      await expect(mutex.inspect()).resolves.toMatchObject([{ id: view!.id, depth: 1 }]);
      await expect(mutex.tryAcquire()).resolves.toBeNull();
      await lock.unlock();
      await expect(mutex.inspect()).resolves.toEqual([]);
    });

    it('show Java how deep a call chain has entered, and stay locked until it has left', async () => {
      const { name, lock, mutex } = await both();
      const depthIs = (depth: number) =>
        eventually(
          `depth ${depth} in Redis`,
          async () => (await site.admin.hvals(name)).join() === `${depth}`,
        );
      await mutex.run(async () => {
        await mutex.run(() => depthIs(2));
        await depthIs(1);
        await expect(lock.isLocked()).resolves.toMatchObject({ value: true });
        await expect(lock.holdCount()).resolves.toMatchObject({ value: 0 });
        await expect(lock.tryLock(0)).resolves.toMatchObject({ value: false });
      });
      await expect(lock.isLocked()).resolves.toMatchObject({ value: false });
    });

    it('show a waiter of Node the holder', async () => {
      const { lock, mutex } = await both();
      await lock.lock(LONG_MS);
      const holder = { id: expect.stringContaining(lock.process.clientId), remainingMs: expect.any(Number) };
      await expect(mutex.acquire({ waitMs: 50 })).rejects.toMatchObject({
        code: 'LOCK_WAIT_TIMEOUT',
        holder,
      });
      await lock.unlock();
    });

    it('leave nothing behind', async () => {
      const { name, lock, mutex } = await both();
      await mutex.run(() => undefined);
      await lock.lock();
      const waiting = mutex.run(() => undefined);
      await site.someoneWaits(name);
      await lock.unlock();
      await waiting;
      // Those keys are Redisson's own: 3.52 forgets to delete them, and they leave after some 15 s.
      const keys = async () =>
        (await site.admin.keys(`*${name}*`)).filter((key) => !key.startsWith('redisson_unlock_latch:'));
      await eventually('no key of the lock', async () => (await keys()).length === 0);
      await site.clean();
      await eventually('no subscription', async () => (await site.channels(name)).length === 0);
    });
  });
}
