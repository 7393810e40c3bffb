import { Site } from './site.js';

describe('a holder that is stopped beyond its lease', () => {
  let site: Site;
  afterEach(() => site.close());

  it('finds, when it goes on, that it holds nothing; the next holder came after its end', async () => {
    site = await Site.open();
    const lock = { leaseMs: 800 };
    const holder = site.contender({ label: 'stopped', bodyMs: 60_000, sampleMs: 10, lock });
    const { lease, token } = await holder.until('acquired');
    await holder.until('renewed');
    holder.signal('SIGSTOP');
    const rival = await site.peer('rival');
    const next = await rival.acquire();
    expect(next!.token).toBeGreaterThan(token);
    const stoppedAt = holder.events.length;
    holder.signal('SIGCONT');
    const lost = await holder.until('lost');
    expect(lost).toMatchObject({ lease, reason: expect.stringMatching(/expired|taken/) as string });
    await holder.until('seen', (event) => event.at > lost.at);
    const seen = holder.events.slice(stoppedAt).filter((event) => event.kind === 'seen');
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(({ isHeld }) => isHeld)).toEqual([]);
    expect(next!.isHeld).toBe(true);
    await rival.recorder.release(next!);
    expect(site.judge().violations).toEqual([]);
  });

  it('may be one of many: the others go on, and its old grant harms nobody', async () => {
    site = await Site.open();
    const job = { tasks: 2, forMs: 6_000, bodyMs: 5, sampleMs: 2, lock: { leaseMs: 500, waitMs: 5_000 } };
    const contenders = [site.contender(job), site.contender(job), site.contender(job)];
    for (const one of contenders) await one.until('acquired');
    for (const victim of contenders) {
      const count = victim.events.length;
      await victim.until('acquired', (event) => victim.events.indexOf(event) >= count);
      victim.signal('SIGSTOP');
      const others = contenders.filter((one) => one !== victim);
      for (const other of others) {
        const { length } = other.events;
        await other.until('acquired', (event) => other.events.indexOf(event) >= length + 20);
      }
      victim.signal('SIGCONT');
    }
    await site.ended();
    const report = site.judge();
    expect(report.violations).toEqual([]);
    expect(await site.leftovers()).toEqual([]);
  });

  it('and killed while others wait delays them by its lease and a second at most', async () => {
    site = await Site.open();
    const lock = { leaseMs: 1_000 };
    const holder = site.contender({ label: 'killed', bodyMs: 60_000, lock });
    await holder.until('acquired');
    const rival = await site.peer('rival');
    const waiting = rival.acquire();
    const start = performance.now();
    holder.signal('SIGKILL');
    const next = await waiting;
    expect(performance.now() - start).toBeLessThanOrEqual(2_000);
    await rival.recorder.release(next!);
    expect(site.judge().violations).toEqual([]);
  });
});
