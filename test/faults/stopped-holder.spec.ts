import { liveness, sharedNow } from 'bedrock-testkit';
import { observationsAfter, STOPPED_LEASE_MS, stopInTurn } from './common-faults.js';
import { goOn, UNTIL_FINISHED } from './contest.js';
import { Site } from './site.js';

describe('a holder that is stopped beyond its lease', () => {
  let site: Site;
  afterEach(() => site.close());

  it('finds, when it goes on, that it holds nothing; the next holder came after its end', async () => {
    site = await Site.open();
    const lock = { leaseMs: 2_500 };
    const holder = site.contender({ label: 'stopped', bodyMs: 60_000, sampleMs: 10, lock });
    const { lease, token } = await holder.until('acquired');
    await holder.until('renewed');
    holder.signal('SIGSTOP');
    const rival = await site.peer('rival');
    const next = await rival.acquire();
    expect(next!.token).toBeGreaterThan(token);
    const takenAt = sharedNow();
    holder.signal('SIGCONT');
    const lost = await holder.until('lost');
    expect(lost).toMatchObject({ lease, reason: expect.stringMatching(/expired|taken/) as string });
    await holder.until('seen', (event) => event.at > lost.at);
    const seen = observationsAfter(takenAt, holder);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(({ isHeld }) => isHeld)).toEqual([]);
    expect(next!.isHeld).toBe(true);
    await rival.recorder.release(next!);
    site.judge();
  });

  it('may be one of many: the others go on, and its old grant harms none of them', async () => {
    site = await Site.open();
    const lock = { leaseMs: STOPPED_LEASE_MS, waitMs: 5_000 };
    const job = { ...UNTIL_FINISHED, tasks: 2, bodyMs: 5, sampleMs: 2, lock };
    const contenders = [site.contender(job), site.contender(job), site.contender(job)];
    await goOn(contenders);
    await stopInTurn(contenders);
    await site.finish();
    site.judge();
    expect(await site.leftovers()).toEqual([]);
  });

  it('and killed while others wait delays them by its lease and a second at most', async () => {
    site = await Site.open();
    const lock = { leaseMs: 1_000 };
    const holder = site.contender({ label: 'killed', bodyMs: 60_000, lock });
    await holder.until('acquired');
    const rival = await site.peer('rival', {}, { operationTimeoutMs: 5_000 });
    const waiting = rival.acquire();
    const next = await liveness.within('a lock whose holder was killed', 2_000, () => {
      holder.signal('SIGKILL');
      return waiting;
    });
    await rival.recorder.release(next!);
    site.judge();
  });
});
