import type { ContenderProcess } from 'bedrock-testkit';
import {
  isOverInTime,
  outlivesEmptyRestart,
  overtakes,
  STOPPED_LEASE_MS,
  stopInTurn,
} from './common-faults.js';
import { goOn, UNTIL_FINISHED } from './contest.js';
import { networkFaults } from './network-suite.js';
import { Site } from './site.js';

const PERMITS = { of: 4, take: [1, 3] } as const;
const JOB = { permits: PERMITS, tasks: 3, bodyMs: [1, 10], sampleMs: 5 } as const;

describe('the permits of a holder', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(() => site.close());

  /** A process that holds 3 of 4 permits for long. */
  async function holder(leaseMs: number): Promise<ContenderProcess> {
    const permits = { of: 4, take: 3 };
    const one = site.contender({ permits, bodyMs: 60_000, sampleMs: 10, lock: { leaseMs } });
    await one.until('acquired');
    return one;
  }

  /** A process that wants two permits, of which it needs one that the holder has. */
  const rival = (): ContenderProcess =>
    site.contender({ label: 'rival', permits: { of: 4, take: 2 }, bodyMs: 300, sampleMs: 10 });

  it('that was killed are back when its lease has ended, a second later at the most, and not sooner', async () => {
    const dead = await holder(1_000);
    await dead.until('renewed');
    const next = rival();
    await isOverInTime(site, dead, next);
  });

  it('that was stopped beyond its lease are free, and when it goes on it finds that it holds nothing', async () => {
    const stopped = await holder(800);
    await overtakes(site, stopped, rival);
  });

  it('among many, stopped again and again, never make it more than there are', async () => {
    const job = { ...JOB, ...UNTIL_FINISHED, lock: { leaseMs: STOPPED_LEASE_MS, waitMs: 5_000 } };
    const contenders = [site.contender(job), site.contender(job), site.contender(job)];
    await goOn(contenders);
    await stopInTurn(contenders);
    await site.finish();
    expect(site.judge()).toMatchObject({ failures: {} });
    expect(await site.leftovers()).toEqual([]);
  });

  it('are not given out twice by a server that comes back empty, where it is guarded', async () => {
    await outlivesEmptyRestart(JOB);
  });
});

networkFaults({
  between: 'a semaphore and its users',
  promise: 'leaks no permit, and never makes it more than there are',
  job: JOB,
  leastLeases: 30,
});
