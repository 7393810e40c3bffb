import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { assertHistory } from 'bedrock-testkit';
import { javaCrowd } from '../java-crowd.js';
import { mostBeside } from '../most-beside.js';
import { LONG_MS, type Site } from '../site.js';

/** The basis of the other specs: the Java side obeys its commands, for every type, and its keys are as expected. */
export function driverCases(version: string, openSite: () => Site): void {
  describe(`the driver of Redisson ${version}`, () => {
    let site: Site;
    const types = async (name: string) => {
      const keys = (await site.admin.keys(`*${name}*`)).filter((key) => !key.includes('_unlock_latch'));
      const pairs = keys.sort().map(async (key) => [key.replace(name, '…'), await site.admin.type(key)]);
      return Object.fromEntries(await Promise.all(pairs)) as Record<string, string>;
    };

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    it.each(['lock', 'fair', 'spin', 'read', 'write'] as const)(
      'locks, re-enters and unlocks: %s',
      async (kind) => {
        const name = site.freshName();
        const lock = site.thread().lock(name, kind);
        await lock.lock(LONG_MS);
        await expect(lock.tryLock(0, LONG_MS)).resolves.toMatchObject({ value: true });
        await expect(lock.holdCount()).resolves.toMatchObject({ value: 2 });
        expect((await lock.remainingMs()).value).toBeGreaterThan(LONG_MS / 2);
        await expect(site.admin.type(name)).resolves.toBe('hash');
        await lock.unlock();
        await lock.unlock();
        await expect(lock.isLocked()).resolves.toMatchObject({ value: false });
        await expect(site.admin.exists(name)).resolves.toBe(0);
      },
    );

    it('owns by thread', async () => {
      const name = site.freshName();
      const [mine, other] = [site.thread().lock(name), site.thread().lock(name)];
      await mine.lock(LONG_MS);
      await expect(mine.isHeld()).resolves.toMatchObject({ value: true });
      await expect(other.isHeld()).resolves.toMatchObject({ value: false });
      await expect(other.tryLock(0)).resolves.toMatchObject({ value: false });
      await expect(other.unlock()).rejects.toMatchObject({ type: 'IllegalMonitorStateException' });
      await expect(other.forceUnlock()).resolves.toMatchObject({ value: true });
    });

    it('shares a read lock and keeps a writer out', async () => {
      const name = site.freshName();
      const [one, two] = [site.thread().lock(name, 'read'), site.thread().lock(name, 'read')];
      const writer = site.thread().lock(name, 'write');
      await Promise.all([one.lock(LONG_MS), two.lock(LONG_MS)]);
      await expect(site.admin.hget(name, 'mode')).resolves.toBe('read');
      await expect(writer.tryLock(0)).resolves.toMatchObject({ value: false });
      await Promise.all([one.unlock(), two.unlock()]);
      await expect(writer.tryLock(0, LONG_MS)).resolves.toMatchObject({ value: true });
      await expect(site.admin.hget(name, 'mode')).resolves.toBe('write');
      await writer.unlock();
    });

    it('counts a token for every entry, whether it is asked for or not', async () => {
      const name = site.freshName();
      const lock = site.thread().fencedLock(name);
      await expect(lock.lockAndGetToken(LONG_MS)).resolves.toMatchObject({ value: 1 });
      await expect(lock.tryLockAndGetToken(0, LONG_MS)).resolves.toMatchObject({ value: 2 });
      await lock.unlock();
      await lock.unlock();
      await lock.lock(LONG_MS);
      await lock.unlock();
      await expect(lock.token()).resolves.toMatchObject({ value: 3 });
      await expect(site.admin.get(`redisson_lock_token:{${name}}`)).resolves.toBe('3');
    });

    it('queues for a fair lock', async () => {
      const name = site.freshName();
      const [held, wanted] = [site.thread().lock(name, 'fair'), site.thread().lock(name, 'fair')];
      await held.lock(LONG_MS);
      const waiting = wanted.lock(LONG_MS);
      await site.someoneWaits(name);
      await expect(types(name)).resolves.toEqual({
        '…': 'hash',
        'redisson_lock_queue:{…}': 'list',
        'redisson_lock_timeout:{…}': 'zset',
      });
      await held.unlock();
      await waiting;
      await wanted.unlock();
    });

    it('counts the permits of a semaphore', async () => {
      const name = site.freshName();
      const semaphore = site.thread().semaphore(name);
      await expect(semaphore.trySetPermits(3)).resolves.toMatchObject({ value: true });
      await semaphore.acquire(2);
      await expect(semaphore.tryAcquire(2, 0)).resolves.toMatchObject({ value: false });
      await semaphore.release(1);
      await semaphore.addPermits(4);
      await expect(semaphore.availablePermits()).resolves.toMatchObject({ value: 6 });
      await expect(site.admin.get(name)).resolves.toBe('6');
      await expect(semaphore.drainPermits()).resolves.toMatchObject({ value: 6 });
    });

    it('gives permits that expire', async () => {
      const name = site.freshName();
      const semaphore = site.thread().expirableSemaphore(name);
      await expect(semaphore.trySetPermits(2)).resolves.toMatchObject({ value: true });
      const { value: first } = await semaphore.acquire(1, LONG_MS);
      const { value: second } = await semaphore.tryAcquire(1, 0, LONG_MS);
      expect([...first, ...second]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.any(String)]);
      await expect(semaphore.tryAcquire(1, 0, LONG_MS)).resolves.toMatchObject({ value: [] });
      await expect(semaphore.acquiredPermits()).resolves.toMatchObject({ value: 2 });
      await expect(semaphore.updateLeaseTime(first[0]!, LONG_MS / 2)).resolves.toMatchObject({ value: true });
      expect((await semaphore.leaseTime(first[0]!)).value).toBeLessThanOrEqual(LONG_MS / 2);
      await expect(types(name)).resolves.toEqual({ '…': 'string', '{…}:timeout': 'zset' });
      await semaphore.release(first);
      await expect(semaphore.tryRelease(second)).resolves.toMatchObject({ value: 1 });
      await semaphore.addPermits(1);
      await expect(semaphore.permits()).resolves.toMatchObject({ value: 3 });
      await semaphore.setPermits(5);
      await expect(semaphore.availablePermits()).resolves.toMatchObject({ value: 5 });
    });

    it('opens a latch', async () => {
      const name = site.freshName();
      const [one, two] = [site.thread().latch(name), site.thread().latch(name)];
      await expect(one.trySetCount(2)).resolves.toMatchObject({ value: true });
      await expect(one.await(0)).resolves.toMatchObject({ value: false });
      const waiting = one.await(LONG_MS);
      await two.countDown();
      await expect(two.count()).resolves.toMatchObject({ value: 1 });
      await two.countDown();
      await expect(waiting).resolves.toMatchObject({ value: true });
      await expect(site.admin.exists(name)).resolves.toBe(0);
    });

    it.each(['lock', 'fair', 'spin', 'write', 'fenced'] as const)(
      'sends a crowd through: %s',
      async (kind) => {
        const name = site.freshName();
        const java = site.thread().process;
        const history = await javaCrowd(java, { label: 'java', kind, name, threads: 3, sections: 10 });
        expect(assertHistory(history).leases).toBe(30);
      },
    );

    it.each(['semaphore', 'expirable'] as const)(
      'sends no more in than there are permits: %s',
      async (kind) => {
        const name = site.freshName();
        const { process } = site.thread();
        await site.thread()[kind === 'semaphore' ? 'semaphore' : 'expirableSemaphore'](name).trySetPermits(2);
        const history = await javaCrowd(process, {
          label: 'java',
          kind,
          name,
          threads: 4,
          sections: 5,
          lengthMs: 5,
          share: { units: 1, capacity: 2 },
        });
        expect(assertHistory(history).leases).toBe(20);
        // No more than there are, as the history says; and they do run beside each other.
        expect(mostBeside(history)).toBeGreaterThan(1);
      },
    );

    it('says what Java threw, and what it does not know', async () => {
      const { process } = site.thread();
      await expect(process.ask('t', ['lock', 'x', 'dance'])).rejects.toThrow('lock knows no dance');
      await expect(process.ask('t', ['hammer', 'x', 'lock'])).rejects.toThrow('no kind hammer');
      await expect(process.ask('t', ['latch', 'x', 'crowd', '1', '1', '0'])).rejects.toThrow(
        'latch guards no section',
      );
    });

    it('ends at once, and everything that was asked of it fails', async () => {
      const doomed = await site.java();
      const name = site.freshName();
      await site.thread().lock(name).lock(LONG_MS);
      const waiting = site.thread(doomed).lock(name).lock();
      await site.someoneWaits(name);
      await doomed.halt();
      await expect(waiting).rejects.toThrow('has ended');
      await expect(site.thread(doomed).lock(name).isLocked()).rejects.toThrow('has ended');
    });
  });
}
