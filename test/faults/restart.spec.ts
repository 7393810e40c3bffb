import { eventually } from 'bedrock-testkit';
import { goOn, UNTIL_FINISHED } from './contest.js';
import { delay, Site } from './site.js';

/** The longest lease, ms: so long nothing is granted after data was lost. */
const GUARD_MS = 3_000;

describe('a Redis that loses its data', () => {
  let site: Site;
  afterEach(() => site.close());

  const GUARDED = { restartGuard: true, coldStart: 'trust', maxLeaseMs: GUARD_MS } as const;

  it.each([
    [
      'killed and started again, empty',
      async () => {
        site.server.kill('SIGKILL');
        await site.server.restart();
      },
    ],
    ['flushed', () => site.command('FLUSHALL')],
  ])('by being %s grants nothing that may still be held', async (_how, lose) => {
    site = await Site.open(GUARDED);
    const [holder, rival] = [await site.peer('holder', { leaseMs: 2_900 }), await site.peer('rival')];
    const lease = await holder.acquire();
    const waiting = rival.acquire();
    await eventually('the rival listens', () => site.isHeard());
    const lostAt = performance.now();
    await lose();
    while (lease!.isHeld) {
      holder.recorder.observe(lease!);
      await delay(5);
    }
    expect(lease!.isHeld).toBe(false);
    const next = await waiting;
    expect(next?.isHeld).toBe(true);
    expect(performance.now() - lostAt).toBeGreaterThanOrEqual(GUARD_MS);
    expect(await lease!.release()).toBe('lost');
    expect(next!.isHeld).toBe(true);
    await rival.recorder.release(next!);
    site.judge();
  });

  it('again and again under load stays exclusive, and every call settles', async () => {
    site = await Site.open({ ...GUARDED, maxLeaseMs: 1_500 });
    const job = {
      tasks: 2,
      ...UNTIL_FINISHED,
      bodyMs: [1, 20],
      sampleMs: 5,
      lock: { leaseMs: 1_000, waitMs: 1_200 },
    } as const;
    const contenders = [site.contender(job), site.contender(job), site.contender(job)];
    await goOn(contenders);
    for (const fault of ['kill', 'flush'] as const) {
      await delay(400);
      if (fault === 'flush') await site.command('FLUSHALL');
      else {
        site.server.kill('SIGKILL');
        await site.server.restart();
      }
      await goOn(contenders);
    }
    await goOn(contenders, 10);
    await site.finish();
    const report = site.judge();
    expect(report.leases).toBeGreaterThan(30);
    expect(await site.leftovers()).toEqual([]);
  });

  it('breaks exclusion without restartGuard, as the documentation says: that is what it is for', async () => {
    site = await Site.open();
    const [holder, rival] = [
      await site.peer('holder', { leaseMs: 20_000, renew: false }),
      await site.peer('rival'),
    ];
    const lease = await holder.acquire();
    await site.command('FLUSHALL');
    const next = await rival.acquire();
    expect([lease!.isHeld, next!.isHeld]).toEqual([true, true]);
    await rival.recorder.release(next!);
    expect(() => site.judge()).toThrow(/^I1: /m);
  });
});
