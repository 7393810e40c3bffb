import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReadWriteLock } from 'bedrock-lock';
import { liveness, eventually, sharedNow } from 'bedrock-testkit';
import { handOvers, byMessage } from '../hand-over.js';
import type { JavaLock } from '../java-objects.js';
import { LONG_MS, type Site, WATCHDOG_MS } from '../site.js';

const SWEEP_MS = 900;
const SLACK_MS = 400;

export function readWriteLockCases(version: string, openSite: () => Site): void {
  describe(`RReadWriteLock of Redisson ${version} and a read-write lock of Bedrock`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    async function both(leaseMs = LONG_MS): Promise<{ name: string; node: ReadWriteLock }> {
      const name = site.freshName();
      return { name, node: (await site.bedrock({ leaseMs })).readWriteLock(name) };
    }

    function reader(name: string): JavaLock {
      return site.thread().lock(name, 'read');
    }

    function writer(name: string): JavaLock {
      return site.thread().lock(name, 'write');
    }

    /** Whether another caller may write now, by both sides. */
    async function canWrite(name: string, node: ReadWriteLock): Promise<boolean[]> {
      const java = writer(name);
      const { value } = await java.tryLock(0, LONG_MS);
      if (value) await java.unlock();
      const lease = await node.write.tryAcquire();
      await lease?.release();
      return [value, lease !== null];
    }

    it('have readers of both sides together, and no writer until the last of them has left', async () => {
      for (const lastly of ['Java', 'Node']) {
        const { name, node } = await both();
        const [one, other] = [reader(name), reader(name)];
        await one.lock(LONG_MS);
        const lease = await node.read.acquire();
        await other.lock(LONG_MS);
        const beside = await node.read.acquire();
        const views = await node.read.inspect();
        expect(views.every(({ mode, depth }) => mode === 'shared' && depth === 1)).toBe(true);
        // Two of Java; those of one Bedrock share a claim when the second comes within the quantum.
        expect([3, 4]).toContain(views.length);
        expect(await canWrite(name, node)).toEqual([false, false]);
        const leave: (() => Promise<unknown>)[] = [() => one.unlock(), () => other.unlock()];
        leave.splice(lastly === 'Java' ? 0 : 2, 0, async () => {
          await beside.release();
          await lease.release();
        });
        for (const last of leave) {
          expect(await canWrite(name, node)).toEqual([false, false]);
          await last();
        }
        expect(await canWrite(name, node)).toEqual([true, true]);
      }
    });

    it('have one writer, and no reader beside it', async () => {
      const { name, node } = await both();
      const [reading, writing] = [reader(name), writer(name)];
      await writing.lock(LONG_MS);
      await expect(node.read.tryAcquire()).resolves.toBeNull();
      await expect(node.write.tryAcquire()).resolves.toBeNull();
      await writing.unlock();
      const lease = await node.write.acquire();
      await expect(reading.tryLock(0)).resolves.toMatchObject({ value: false });
      await expect(writing.tryLock(0)).resolves.toMatchObject({ value: false });
      await lease.release();
      await expect(reading.tryLock(0)).resolves.toMatchObject({ value: true });
    });

    it.each(['read', 'write'] as const)(
      'hand over by message, from the last that holds in Java to a writer of Node: %s',
      async (side) => {
        const { name, node } = await both();
        const timings = await handOvers(async () => {
          const java = site.thread().lock(name, side);
          await java.lock(LONG_MS);
          const waiting = node.write.run(sharedNow);
          await site.someoneWaits(name);
          const { beganAt } = await java.unlock();
          return (await waiting) - beganAt;
        });
        liveness.assertMedian('the median hand-over', 50, timings);
      },
    );

    it.each(['read', 'write'] as const)(
      'hand over by message, from the last that holds in Node to a writer of Java: %s',
      async (side) => {
        const { name, node } = await both();
        const java = writer(name);
        const timings = await handOvers(async () => {
          const lease = await node[side].acquire();
          const waiting = java.lock(LONG_MS);
          await site.someoneWaits(name);
          const releasedAt = sharedNow();
          await lease.release();
          const { endedAt } = await waiting;
          await java.unlock();
          return endedAt - releasedAt;
        });
        liveness.assertMedian('the median hand-over', 50, timings);
      },
    );

    it.each(['Java', 'Node'])('wake all readers of both sides when a writer of %s leaves', async (side) => {
      const { name, node } = await both();
      const other = (await site.bedrock()).readWriteLock(name);
      const java = writer(name);
      const lease = side === 'Node' ? await node.write.acquire() : undefined;
      if (side === 'Java') await java.lock(LONG_MS);
      const readers = [reader(name), reader(name)];
      const waiting = [
        ...readers.map((one) => one.lock(LONG_MS)),
        ...[node, node, other].map(({ read }) => read.acquire()),
      ];
      // The JVM and two Bedrocks; the side whose own writer holds does not subscribe.
      await site.someoneWaits(name, side === 'Java' ? 3 : 2);
      await byMessage('the hand-over to all readers', async () => {
        await (lease?.release() ?? java.unlock());
        await Promise.all(waiting);
      });
      expect(await canWrite(name, node)).toEqual([false, false]);
    });

    it('show each other how deep they read or write, and stay held until they have left', async () => {
      const { name, node } = await both();
      const [reading, writing] = [reader(name), writer(name)];
      await reading.lock();
      await reading.lock();
      await expect(node.read.inspect()).resolves.toMatchObject([{ depth: 2, mode: 'shared' }]);
      await reading.unlock();
      expect(await canWrite(name, node)).toEqual([false, false]);
      await reading.unlock();

      await writing.lock();
      await writing.lock();
      await expect(node.write.inspect()).resolves.toMatchObject([{ depth: 2, mode: 'exclusive' }]);
      await writing.unlock();
      await expect(node.read.tryAcquire()).resolves.toBeNull();
      await writing.unlock();

      const depthIs = (depth: number) =>
        eventually(`depth ${depth}`, async () => (await site.admin.hvals(name)).includes(`${depth}`));
      for (const side of ['read', 'write'] as const) {
        await node[side].run(async () => {
          await node[side].run(async () => {
            await depthIs(2);
            if (side === 'read') {
              // A reader of Java counts what the others still have when it leaves.
              await reading.lock(LONG_MS);
              await reading.unlock();
            }
            await expect(writing.tryLock(0)).resolves.toMatchObject({ value: false });
          });
          await depthIs(1);
          await expect(writing.tryLock(0)).resolves.toMatchObject({ value: false });
        });
        expect(await canWrite(name, node)).toEqual([true, true]);
      }
    });

    it('let readers of the other side in when a writer goes on as a reader', async () => {
      const { name, node } = await both();
      const java = site.thread();
      const [reading, writing] = [java.lock(name, 'read'), java.lock(name, 'write')];
      await writing.lock(LONG_MS);
      await reading.lock(LONG_MS);
      const waiting = node.read.acquire();
      await site.someoneWaits(name);
      // Redisson sends no message.
      const lease = await liveness.within('the hand-over to a reader', SWEEP_MS + SLACK_MS, async () => {
        await writing.unlock();
        return waiting;
      });
      expect(await canWrite(name, node)).toEqual([false, false]);
      await reading.unlock();
      expect(await canWrite(name, node)).toEqual([false, false]);
      await lease.release();

      // Another name: the subscription of the reader that has waited stays after its wait.
      const next = await both();
      const write = await next.node.write.acquire();
      const reads = reader(next.name).lock(LONG_MS);
      await site.someoneWaits(next.name);
      await byMessage('the hand-over to a reader', async () => {
        await write.downgrade();
        await reads;
      });
      expect(await canWrite(next.name, next.node)).toEqual([false, false]);
      await write.release();
      expect(await canWrite(next.name, next.node)).toEqual([false, false]);
    });

    it('renew what they read on either side, and outlast the reader of the other that died', async () => {
      const doomed = await site.java();
      const [one, two] = [await both(WATCHDOG_MS), await both(WATCHDOG_MS)];
      const java = reader(two.name);
      await java.lock();
      await site.thread(doomed).lock(one.name, 'read').lock();
      const lease = await one.node.read.acquire();
      await doomed.halt();
      const rival = await site.bedrock();
      const refused = await Promise.all(
        [one, two].flatMap(({ name }) => [
          writer(name)
            .tryLock(2 * WATCHDOG_MS)
            .then(({ value }) => value),
          rival
            .readWriteLock(name)
            .write.acquire({ waitMs: 2 * WATCHDOG_MS })
            .catch(({ code }: { code: string }) => code),
        ]),
      );
      // Its subscriptions would stay after its wait, and count as a waiter below.
      await rival.close();
      expect(refused).toEqual([false, 'LOCK_WAIT_TIMEOUT', false, 'LOCK_WAIT_TIMEOUT']);
      expect(lease.isHeld).toBe(true);
      // The dead are no reason to wait any more.
      const [ofJava, ofNode] = [writer(one.name).lock(LONG_MS), two.node.write.run(() => undefined)];
      await site.someoneWaits(one.name);
      await site.someoneWaits(two.name);
      await byMessage('the hand-over of both', () =>
        Promise.all([lease.release(), java.unlock(), ofJava, ofNode]),
      );
    });

    it('lose what they read when the other side ends it by force', async () => {
      const { name, node } = await both(900);
      const java = reader(name);
      await java.lock(LONG_MS);
      const lease = await node.read.acquire();
      await expect(reader(name).forceUnlock()).resolves.toMatchObject({ value: true });
      await eventually('the lease was aborted', () => lease.signal.aborted);
      await expect(java.isHeld()).resolves.toMatchObject({ value: false });
      expect(await canWrite(name, node)).toEqual([true, true]);

      await java.lock(LONG_MS);
      await expect(node.read.forceRelease()).resolves.toBe(true);
      await expect(java.isHeld()).resolves.toMatchObject({ value: false });
      await expect(java.unlock()).rejects.toMatchObject({ type: 'IllegalMonitorStateException' });
      expect(await canWrite(name, node)).toEqual([true, true]);
    });

    it('leave nothing behind', async () => {
      const { name, node } = await both();
      const java = writer(name);
      await java.lock(LONG_MS);
      const served = [
        node.read.run(() => undefined),
        reader(name).lock(LONG_MS),
        node.write.run(() => undefined),
      ];
      await site.someoneWaits(name, 2);
      await java.unlock();
      // Both read now or have read; only the one of Java is still there, and the writer waits for it.
      await Promise.all([served[0], served[1]]);
      await site.thread().lock(name, 'read').forceUnlock();
      await Promise.all(served);
      const keys = async () =>
        (await site.admin.keys(`*${name}*`)).filter(
          (key) => !/^redisson_unlock_latch:|:rwlock_timeout:/.test(key),
        );
      await eventually('no key of the lock', async () => (await keys()).length === 0);
      await site.clean();
      await eventually('no subscription', async () => (await site.channels(name)).length === 0);
    });
  });
}
