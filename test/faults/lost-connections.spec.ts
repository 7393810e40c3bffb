import { eventually, liveness, type Timing } from 'bedrock-testkit';
import { goOn, UNTIL_FINISHED } from './contest.js';
import { delay, Site } from './site.js';

describe('a Redis that forgets scripts and connections', () => {
  let site: Site;
  afterEach(() => site.close());

  it('costs no holder the lock when its scripts are flushed', async () => {
    site = await Site.open();
    const [holder, rival] = [await site.peer('holder', { leaseMs: 3_000 }), await site.peer('rival')];
    const lease = await holder.acquire();
    // For longer than the lease.
    for (let i = 0; i < 40; i += 1) {
      await site.command('SCRIPT', 'FLUSH');
      await delay(100);
    }
    expect(lease!.isHeld).toBe(true);
    const waiting = rival.acquire();
    await site.command('SCRIPT', 'FLUSH');
    await holder.recorder.release(lease!);
    await site.command('SCRIPT', 'FLUSH');
    await rival.recorder.release((await waiting)!);
    expect(site.judge({ handOverMs: 1_200 })).toMatchObject({ lost: 0 });
  });

  it.each(['normal', 'pubsub'])(
    'lets the lock be kept, handed over and waited for, when %s clients are killed',
    async (type) => {
      site = await Site.open();
      const [holder, rival] = [await site.peer('holder', { leaseMs: 900 }), await site.peer('rival')];
      let lease = await holder.acquire();
      for (let i = 0; i < 3; i += 1) {
        const waiting = rival.acquire();
        await delay(50);
        await site.command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
        await holder.recorder.release(lease!);
        const next = await waiting;
        await site.command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
        await delay(1_000);
        expect(next?.isHeld).toBe(true);
        await rival.recorder.release(next!);
        lease = await holder.acquire();
      }
      await holder.recorder.release(lease!);
      await delay(1_000);
      site.judge();
      expect(await site.leftovers()).toEqual([]);
    },
  );

  it('tells waiting processes by message again, once they are connected again', async () => {
    site = await Site.open();
    const [holder, rival] = [await site.peer('holder'), await site.peer('rival')];
    const timings: Timing[] = [];
    for (let i = 0; i < 5; i += 1) {
      const lease = await holder.acquire();
      const waiting = rival.acquire();
      await eventually('the rival listens', () => site.isHeard());
      await site.command('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
      await eventually('the rival listens', () => site.isHeard());
      // The question that follows every reconnection is over.
      await delay(50);
      const timing = await liveness.time(async () => {
        await holder.recorder.release(lease!);
        await rival.recorder.release((await waiting)!);
      });
      timings.push(timing);
    }
    liveness.assertMedian('the median hand-over', 50, timings);
  });

  it('stays exclusive under load, while connections are killed all the time', async () => {
    site = await Site.open();
    const job = {
      tasks: 3,
      ...UNTIL_FINISHED,
      bodyMs: [0, 5],
      sampleMs: 2,
      lock: { leaseMs: 800, waitMs: 2_000 },
    } as const;
    const contenders = [site.contender(job), site.contender(job), site.contender(job)];
    await goOn(contenders);
    const leases = (): number => site.history.filter(({ kind }) => kind === 'acquired').length;
    // After the first 25 the pauses grow, so that a slow machine gets something done between two of them.
    for (let kills = 0; kills < 25 || (leases() <= 100 && kills < 60); kills += 1) {
      await site.command('CLIENT', 'KILL', 'TYPE', kills % 2 === 0 ? 'normal' : 'pubsub', 'SKIPME', 'yes');
      await delay(100 + 30 * Math.max(0, kills - 24));
    }
    await goOn(contenders);
    await site.finish();
    const report = site.judge();
    expect(report.leases).toBeGreaterThan(100);
    expect(await site.leftovers()).toEqual([]);
  }, 60_000);
});
