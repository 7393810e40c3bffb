import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ContenderProcess, eventually, liveness, sharedNow } from 'bedrock-testkit';
import { stamped } from '../hand-over.js';
import { TYPES, type LockType } from '../lock-types.js';
import { LONG_MS, type Site, WATCHDOG_MS } from '../site.js';

/** How late a waiter may be, in ms, when a lease ends without a release. */
const SLACK_MS = 900;

/** All types at the same time: most of it is waiting for leases to end. */
async function ofEachType<T>(work: (type: LockType) => Promise<T>): Promise<T[]> {
  return Promise.all(
    TYPES.map(async (type) => {
      try {
        return await work(type);
      } catch (error) {
        throw new Error(`with ${type.title}`, { cause: error });
      }
    }),
  );
}

export function holdingCases(version: string, openSite: () => Site): void {
  describe(`a lock of any type that is held by Redisson ${version} or by Bedrock`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    it('stays held beyond its lease while its holder renews it, on either side', async () => {
      const bedrock = await site.bedrock({ leaseMs: WATCHDOG_MS });
      await ofEachType(async ({ kind, of }) => {
        const [ofJava, ofNode] = [site.freshName(), site.freshName()];
        const [held, wanted] = [site.thread().lock(ofJava, kind), site.thread().lock(ofNode, kind)];
        await held.lock();
        const lease = await of(bedrock, ofNode).acquire();

        const waitMs = 2 * WATCHDOG_MS;
        const [refusal, { value: isGranted }] = await Promise.all([
          of(bedrock, ofJava)
            .acquire({ waitMs })
            .catch((error: unknown) => error),
          wanted.tryLock(waitMs),
        ]);
        expect(refusal).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT' });
        expect(isGranted).toBe(false);

        await expect(held.isHeld()).resolves.toMatchObject({ value: true });
        await held.unlock();
        expect(lease.isHeld).toBe(true);
        await expect(lease.release()).resolves.toBe('released');
      });
    });

    it('passes to Node when the JVM has died, at the end of the lease and not before', async () => {
      const doomed = await site.java();
      const bedrock = await site.bedrock();
      const deaths = await ofEachType(async ({ title, kind, of }) => {
        const name = site.freshName();
        const { beganAt } = await site.thread(doomed).lock(name, kind).lock();
        const waiting = stamped(of(bedrock, name).acquire());
        await site.someoneWaits(name);
        return { title, beganAt, waiting };
      });
      await doomed.halt();
      const haltedAt = sharedNow();
      const boundMs = WATCHDOG_MS + SLACK_MS;
      const grants = await Promise.all(
        deaths.map(({ title, waiting }) => liveness.within(`the end of ${title}`, boundMs, () => waiting)),
      );
      for (const [i, { title, beganAt }] of deaths.entries()) {
        const { value: lease, at } = grants[i]!;
        await lease.release();
        // Renewed at every third of it: at the death, at least the rest is left.
        const earliest = Math.max(beganAt + WATCHDOG_MS, haltedAt);
        expect({ title, at, isInTime: at > earliest }).toMatchObject({ isInTime: true });
      }
    });

    it('passes to Java when the Node process was killed, at the end of the lease and not before', async () => {
      await ofEachType(async ({ kind, job }) => {
        const name = site.freshName();
        const lock = site.thread().lock(name, kind);
        const doomed = new ContenderProcess(
          { module: 'bedrock-lock/redis', factory: 'redis', args: [site.server.url] },
          { resource: name, lock: { leaseMs: WATCHDOG_MS }, crashAt: 1, ...job },
        );
        const { at: grantedAt, validUntil } = await doomed.until('acquired');
        const [boundMs, elapsedMs] = [WATCHDOG_MS + SLACK_MS, sharedNow() - grantedAt];
        const take = () => lock.lock(LONG_MS);
        const { endedAt } = await liveness.within('the end of the lease', boundMs, take, { elapsedMs });
        await lock.unlock();
        await doomed.ended();
        expect(endedAt).toBeGreaterThan(validUntil);
      });
    });

    describe.each(TYPES)('$title', ({ kind, of }) => {
      it('is lost to Node when Java unlocks it by force: its holder learns, and Java may have it', async () => {
        const name = site.freshName();
        const leaseMs = 900;
        const lock = site.thread().lock(name, kind);
        const work = of(await site.bedrock({ leaseMs }), name).run(async (lease) => {
          await expect(lock.forceUnlock()).resolves.toMatchObject({ value: true });
          const forcedAt = sharedNow();
          await expect(lock.tryLock(0)).resolves.toMatchObject({ value: true });
          // The next renewal tells it.
          const isTold = () => eventually('the lease was aborted', () => lease.signal.aborted);
          const elapsedMs = sharedNow() - forcedAt;
          await liveness.within('the loss', leaseMs / 3 + SLACK_MS, isTold, { elapsedMs });
          expect(lease.isHeld).toBe(false);
        });
        await expect(work).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'taken' });
        // Neither the loss nor the end of the work has taken it from its new holder.
        await expect(lock.isHeld()).resolves.toMatchObject({ value: true });
        await lock.unlock();
      });

      it('wakes a waiter of Node when Java unlocks it by force', async () => {
        const name = site.freshName();
        const lock = site.thread().lock(name, kind);
        await lock.lock(LONG_MS);
        const waiting = of(await site.bedrock(), name).acquire();
        await site.someoneWaits(name);
        await lock.forceUnlock();
        await (await waiting).release();
      });

      it('is lost to Java when Node releases it by force: its holder learns, and a waiter is woken', async () => {
        const name = site.freshName();
        const [held, wanted] = [site.thread().lock(name, kind), site.thread().lock(name, kind)];
        await held.lock(LONG_MS);
        const waiting = wanted.lock(LONG_MS);
        await site.someoneWaits(name);
        await expect(of(await site.bedrock(), name).forceRelease()).resolves.toBe(true);
        await waiting;
        await expect(held.isHeld()).resolves.toMatchObject({ value: false });
        await expect(held.unlock()).rejects.toMatchObject({ type: 'IllegalMonitorStateException' });
        await expect(wanted.isHeld()).resolves.toMatchObject({ value: true });
        await wanted.unlock();
      });
    });

    it('is renewed by Java although it was revoked, and is free after its unlock', async () => {
      const bedrock = await site.bedrock();
      await ofEachType(async ({ kind, of }) => {
        const name = site.freshName();
        const lock = site.thread().lock(name, kind);
        await lock.lock();
        await expect(of(bedrock, name).revoke()).resolves.toBe(true);
        await expect(of(bedrock, name).acquire({ waitMs: 1.2 * WATCHDOG_MS })).rejects.toMatchObject({
          code: 'LOCK_WAIT_TIMEOUT',
        });
        await lock.unlock();
        await expect(of(bedrock, name).run(() => 'free')).resolves.toBe('free');
      });
    });
  });
}
