import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FairMutex } from 'bedrock-lock';
import { ContenderProcess, eventually, liveness, sharedNow } from 'bedrock-testkit';
import { byMessage } from '../hand-over.js';
import { LONG_MS, type Site } from '../site.js';

/** How long a waiter of Bedrock that has died is waited for, and until the next one asks and finds out. */
const SILENT_MS = 1_000;
const SWEEP_MS = 900;
/** The life of a grant that its process has not asked for. */
const PUSHED_MS = 1_000;
const SLACK_MS = 400;
/** Times in Redis are whole ms. */
const ROUNDING_MS = 2;

export function fairLineCases(version: string, openSite: () => Site): void {
  describe(`the line of RFairLock of Redisson ${version} and of a fair mutex`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    async function fairMutex(name: string, leaseMs = LONG_MS): Promise<FairMutex> {
      return (await site.bedrock({ leaseMs })).fairMutex(name);
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

    /** A moment just past, on the wall clock, by which places in the line end. That clock is set now and then; intervals are not. */
    function epochMs(at: number): number {
      return Date.now() - (sharedNow() - at);
    }

    /** When Redisson stops to wait for each of them, epoch ms, in the order of the line. */
    async function times(name: string): Promise<number[]> {
      const line = await site.line(name);
      return (await site.admin.zmscore(`redisson_lock_timeout:{${name}}`, line)).map(Number);
    }

    function contender(name: string): ContenderProcess {
      return new ContenderProcess(
        { module: 'bedrock-lock/redis', factory: 'redis', args: [site.server.url] },
        { resource: name, kind: 'fairMutex', lock: { waitMs: LONG_MS } },
      );
    }

    async function killed(doomed: ContenderProcess): Promise<void> {
      doomed.signal('SIGKILL');
      await doomed.ended();
    }

    /** Long enough that two others are in line behind before it gives up, on a slow machine too. */
    const patienceMs = 2_000;
    it.each([
      [
        'Java',
        patienceMs,
        async (name: string) =>
          expect((await site.thread().lock(name, 'fair').tryLock(patienceMs)).value).toBe(false),
      ],
      [
        'Node',
        300_000,
        async (name: string) =>
          expect((await fairMutex(name)).acquire({ waitMs: patienceMs })).rejects.toMatchObject({
            code: 'LOCK_WAIT_TIMEOUT',
          }),
      ],
    ] as const)('is left at once by a waiter of %s that gives up', async (_side, placeMs, giveUp) => {
      const name = site.freshName();
      const mutex = await fairMutex(name);
      const lease = await mutex.acquire();
      const givenUp = giveUp(name);
      await site.someoneWaits(name);
      const served = [inJava(name)];
      await site.someoneWaits(name, 2);
      served.push(inNode(mutex));
      await site.someoneWaits(name, 3);
      const [, ...before] = await times(name);
      await givenUp;
      await eventually('the others are left', async () => (await site.line(name)).length === 2);
      expect(await times(name)).toEqual(before.map((time) => time - placeMs));
      await byMessage('both hand-overs', async () => {
        await lease.release();
        await Promise.all(served);
      });
    });

    it('does not wait for a waiter of Node that was killed, where Node stands behind it', async () => {
      const name = site.freshName();
      const [lock, doomed] = [site.thread().lock(name, 'fair'), contender(name)];
      await lock.lock(LONG_MS);
      await site.someoneWaits(name);
      const ofNode = inNode(await fairMutex(name));
      await site.someoneWaits(name, 2);
      const ofJava = inJava(name);
      await site.someoneWaits(name, 3);
      await killed(doomed);
      const passedOn = async (): Promise<number> => {
        const elapsedMs = sharedNow() - (await ofNode);
        return byMessage('the hand-over to Java', () => ofJava, { elapsedMs });
      };
      const boundMs = SILENT_MS + SWEEP_MS + SLACK_MS;
      const unlocked = async (): Promise<number> => {
        await lock.unlock();
        return ofNode;
      };
      const [first, second] = await Promise.all([
        liveness.within('the hand-over past the dead', boundMs, unlocked),
        passedOn(),
      ]);
      expect(second).toBeGreaterThan(first);
    });

    it('wakes a waiter of Java again that missed the message, where Node stands behind it', async () => {
      const name = site.freshName();
      const lease = await (await fairMutex(name)).acquire();
      const ofJava = inJava(name);
      await site.someoneWaits(name);
      const ofNode = inNode(await fairMutex(name));
      await site.someoneWaits(name, 2);
      // The lock is free, without a message.
      const freed = async (): Promise<number> => {
        await site.admin.del(name);
        return ofJava;
      };
      const [first, second] = await Promise.all([
        liveness.within('the hand-over without a message', SWEEP_MS + SLACK_MS, freed),
        ofNode,
      ]);
      expect(second).toBeGreaterThan(first);
      await lease.release();
    });

    it('wakes a waiter of Java where a grant has ended that a stopped process of Node was given', async () => {
      const name = site.freshName();
      const lease = await (await fairMutex(name)).acquire();
      const stopped = contender(name);
      await site.someoneWaits(name);
      const ofJava = inJava(name);
      await site.someoneWaits(name, 2);
      const ofNode = inNode(await fairMutex(name));
      await site.someoneWaits(name, 3);
      stopped.signal('SIGSTOP');
      const released = async (): Promise<number> => {
        await lease.release();
        return ofJava;
      };
      const boundMs = PUSHED_MS + SWEEP_MS + SLACK_MS;
      const [first, second] = await Promise.all([
        liveness.within('the hand-over past the stopped', boundMs, released),
        ofNode,
      ]).finally(() => killed(stopped));
      expect(second).toBeGreaterThan(first);
    });

    it('waits for a waiter of Node that was killed, where only Java looks at it', async () => {
      const name = site.freshName();
      const [lock, doomed] = [site.thread().lock(name, 'fair'), contender(name)];
      await lock.lock(LONG_MS);
      await site.someoneWaits(name);
      const waiting = inJava(name);
      await site.someoneWaits(name, 2);
      await killed(doomed);
      await lock.unlock();
      const other = site.thread().lock(name, 'fair');
      await expect(other.tryLock(SILENT_MS + SWEEP_MS)).resolves.toMatchObject({ value: false });
      // Whatever a Bedrock asks, it finds out.
      await byMessage('the hand-over', async () => {
        await expect((await fairMutex(name)).tryAcquire()).resolves.toBeNull();
        await waiting;
      });
    });

    it('waits for a waiter of Java that died until its own wait has ended, and keeps the places behind it', async () => {
      const [leaseMs, waitMs] = [2_000, 1_500];
      const doomed = await site.java();
      const lines = await Promise.all(
        ['released at once', 'released when its wait has ended'].map(async (text) => {
          const name = `${site.freshName()} ${text}`;
          const mutex = await fairMutex(name, leaseMs);
          const lease = await mutex.acquire();
          const dying = site.thread(doomed).lock(name, 'fair').tryLock(waitMs);
          dying.catch(() => undefined);
          await site.someoneWaits(name);
          const ofJava = inJava(name);
          await site.someoneWaits(name, 2);
          const ofNode = inNode(mutex);
          await site.someoneWaits(name, 3);
          const endsAtEpochMs = (await times(name))[0]!;
          const endsAt = endsAtEpochMs - Date.now() + sharedNow();
          return { lease, ofJava, ofNode, endsAt, endsAtEpochMs, servedAtEpochMs: ofJava.then(epochMs) };
        }),
      );
      await doomed.halt();
      const [atOnce, later] = lines as [(typeof lines)[0], (typeof lines)[0]];
      await atOnce.lease.release();
      await sleep(later.endsAt - sharedNow() + ROUNDING_MS);
      const elapsedMs = sharedNow() - atOnce.endsAt;
      const ofFirst = () => atOnce.ofJava;
      await Promise.all([
        liveness.within('the hand-over past the dead', SWEEP_MS + SLACK_MS, ofFirst, { elapsedMs }),
        byMessage('both hand-overs', async () => {
          await later.lease.release();
          await later.ofNode;
        }),
      ]);
      for (const { ofJava, ofNode } of lines) expect(await ofNode).toBeGreaterThan(await ofJava);
      expect((await atOnce.servedAtEpochMs) + ROUNDING_MS).toBeGreaterThan(atOnce.endsAtEpochMs);
    });
  });
}
