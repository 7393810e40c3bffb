import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { LockOptions } from 'bedrock-lock';
import { liveness, eventually, sharedNow } from 'bedrock-testkit';
import { handOvers, stamped } from '../hand-over.js';
import { LONG_MS, type Site } from '../site.js';

/** RSpinLock sleeps so long at most between two questions, ms. */
const LONGEST_BACK_OFF_MS = 128;
const POLL_MS = 20;

export function spinLockCases(version: string, openSite: () => Site): void {
  describe(`RSpinLock of Redisson ${version} and a mutex that asks again`, () => {
    let site: Site;

    beforeAll(() => {
      site = openSite();
    });
    afterEach(() => site?.clean());

    it.each<[string, LockOptions]>([
      ['that asks again', { pollMs: POLL_MS }],
      ['that spins', { spin: { firstMs: 1, lastMs: POLL_MS } }],
    ])('pass from Java to Node %s within the interval, without any message', async (_how, options) => {
      const name = site.freshName();
      const lock = site.thread().lock(name, 'spin');
      const mutex = (await site.bedrock(options)).mutex(name);
      const listener = site.admin.duplicate();
      const heard: string[] = [];
      listener.on('pmessage', (_pattern, channel: string, message: string) =>
        heard.push(`${channel} ${message}`),
      );
      await listener.psubscribe('*');
      const timings = await handOvers(async () => {
        await lock.lock(LONG_MS);
        const before = await site.scriptsRun();
        const waiting = stamped(mutex.acquire());
        await eventually('Node asks again', async () => (await site.scriptsRun()) > before + 1);
        heard.length = 0;
        const { beganAt } = await lock.unlock();
        const { value: lease, at } = await waiting;
        expect(heard).toEqual([]);
        await lease.release();
        return at - beganAt;
      });
      listener.disconnect();
      liveness.assertMedian('the median hand-over', POLL_MS + 50, timings);
    });

    it('pass from Node to Java within its longest back-off', async () => {
      const name = site.freshName();
      const lock = site.thread().lock(name, 'spin');
      const mutex = (await site.bedrock()).mutex(name);
      const timings = await handOvers(async () => {
        const lease = await mutex.acquire();
        const before = await site.scriptsRun();
        const waiting = lock.lock(LONG_MS);
        await eventually('Java asks again and again', async () => (await site.scriptsRun()) > before + 2);
        const releasedAt = sharedNow();
        await lease.release();
        const { endedAt } = await waiting;
        await lock.unlock();
        return endedAt - releasedAt;
      });
      liveness.assertMedian('the median hand-over', LONGEST_BACK_OFF_MS + 50, timings);
    });

    it('reach a waiter without the interval by the sweep, in about a second', async () => {
      const name = site.freshName();
      const lock = site.thread().lock(name, 'spin');
      const mutex = (await site.bedrock()).mutex(name);
      await lock.lock(LONG_MS);
      const waiting = mutex.acquire();
      await site.someoneWaits(name);
      const lease = await liveness.within('the hand-over by the sweep', 1_500, async () => {
        await lock.unlock();
        return waiting;
      });
      await lease.release();
    });
  });
}
