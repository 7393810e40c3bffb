import { liveness } from 'bedrock-testkit';
import { goOn, UNTIL_FINISHED } from './contest.js';
import { BOUNDS, OPERATION_MS, delay, Site } from './site.js';

describe('a Redis that is stopped beyond the lease', () => {
  let site: Site;
  afterEach(() => site.close());

  it('ends the lease by the clock, settles every call in time, and leaves no orphan when it goes on', async () => {
    site = await Site.open();
    const [holder, rival] = [await site.peer('holder', { leaseMs: 900 }), await site.peer('rival')];
    const lease = await holder.acquire();
    const { signal } = lease!;
    site.server.pause();
    const inVain = [rival.acquire(500), rival.acquire(1_000), rival.acquire(0)];
    while (lease!.isHeld) {
      holder.recorder.observe(lease!);
      await delay(10);
    }
    expect(performance.now()).toBeGreaterThanOrEqual(lease!.validUntil);
    expect(await Promise.all(inVain)).toEqual([undefined, undefined, undefined]);
    await holder.recorder.release(lease!);
    expect(signal.aborted).toBe(true);
    site.server.resume();
    // What was on its way for longer than the time-out is refused as stale: nothing blocks the next caller.
    const next = await liveness.within('the next grant', 3 * OPERATION_MS + 1_000, () => rival.acquire());
    expect(next?.isHeld).toBe(true);
    expect(next!.token).toBeGreaterThan(lease!.token);
    await rival.recorder.release(next!);
    const report = site.judge();
    expect(report.failures).toEqual({ BACKEND_UNAVAILABLE: 2, LOCK_BUSY: 1 });
    await delay(OPERATION_MS);
    expect(await site.leftovers()).toEqual([]);
  });

  it('for half a lease costs no holder the lock', async () => {
    site = await Site.open({ operationTimeoutMs: 1_000 });
    const holder = await site.peer('holder', { leaseMs: 4_000 });
    const lease = await holder.acquire();
    site.server.pause();
    await delay(2_000);
    site.server.resume();
    await delay(2_500);
    expect(lease!.isHeld).toBe(true);
    expect(await lease!.release()).toBe('released');
  });

  it('again and again under load stays exclusive, and every call settles', async () => {
    site = await Site.open();
    const lock = { leaseMs: 600, waitMs: 800 };
    const job = { ...UNTIL_FINISHED, tasks: 2, bodyMs: 10, sampleMs: 5, lock };
    const contenders = [site.contender(job), site.contender(job)];
    await goOn(contenders);
    for (const ms of [200, 900, 450, 1_200]) {
      await delay(200);
      site.server.pause();
      await delay(ms);
      site.server.resume();
      await goOn(contenders);
    }
    await goOn(contenders, 10);
    await site.finish();
    const report = site.judge(BOUNDS);
    expect(report.leases).toBeGreaterThan(30);
    expect(await site.leftovers()).toEqual([]);
  });
});
