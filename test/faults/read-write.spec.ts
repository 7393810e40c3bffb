import { sharedNow, type ContenderProcess } from 'bedrock-testkit';
import {
  isOverInTime,
  outlivesEmptyRestart,
  overtakes,
  STOPPED_LEASE_MS,
  stopInTurn,
} from './common-faults.js';
import { goOn, UNTIL_FINISHED } from './contest.js';
import { networkFaults } from './network-suite.js';
import { delay, Site } from './site.js';

const JOB = { readWrite: { writes: 0.2 }, tasks: 4, bodyMs: [1, 10], sampleMs: 5 } as const;
const READS = { writes: 0 };
const WRITES = { writes: 1 };

describe('a reader or writer of a read-write lock', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(() => site.close());

  /** A process that holds it for long. */
  async function holder(readWrite: { writes: number }, leaseMs: number): Promise<ContenderProcess> {
    const one = site.contender({ readWrite, bodyMs: 60_000, sampleMs: 10, lock: { leaseMs } });
    await one.until('acquired');
    return one;
  }

  const rival = (readWrite: { writes: number }): ContenderProcess =>
    site.contender({ label: 'rival', readWrite, bodyMs: 300, sampleMs: 10 });

  it.each([
    ['reader', READS, WRITES],
    ['writer', WRITES, READS],
    ['writer', WRITES, WRITES],
  ])(
    'that was killed, a %s, is over when its lease has ended, a second later at the most, and not sooner',
    async (_, dying, next) => {
      const dead = await holder(dying, 1_000);
      await dead.until('renewed');
      const waiting = rival(next);
      await isOverInTime(site, dead, waiting);
    },
  );

  it.each([
    ['reader', READS],
    ['writer', WRITES],
  ])(
    'that was stopped beyond its lease, a %s, finds when it goes on that it holds nothing',
    async (_, kind) => {
      const stopped = await holder(kind, 800);
      await overtakes(site, stopped, () => rival(WRITES));
    },
  );

  it('that was stopped while others read on is over for itself alone', async () => {
    const others = await holder(READS, 20_000);
    const stopped = await holder(READS, 600);
    stopped.signal('SIGSTOP');
    await delay(1_500);
    stopped.signal('SIGCONT');
    await stopped.until('lost');
    const lostAt = sharedNow();
    await others.until('seen', ({ isHeld, at }) => isHeld && at > lostAt);
    expect(others.events.filter(({ kind }) => kind === 'lost')).toEqual([]);
    expect(site.judge()).toMatchObject({ lost: 1 });
  });

  it('among four processes, killed and stopped again and again, never meets a writer', async () => {
    const job = { ...JOB, ...UNTIL_FINISHED, lock: { leaseMs: STOPPED_LEASE_MS, waitMs: 5_000 } };
    const contenders = [0.1, 0.5, 0.2, 0.3].map((writes) =>
      site.contender({ ...job, readWrite: { writes } }),
    );
    await goOn(contenders);
    const crashing = site.contender({ ...job, label: 'crashing', crashAt: 60 });
    await stopInTurn(contenders.slice(0, 3), contenders);
    contenders[3]!.signal('SIGKILL');
    await crashing.ended();
    await site.finish();
    expect(crashing.events.some(({ kind }) => kind === 'ended')).toBe(false);
    const report = site.judge();
    expect(report).toMatchObject({ failures: {} });
    expect(report.leases).toBeGreaterThan(200);
    await delay(500);
    expect(await site.leftovers()).toEqual([]);
  });

  it('never meets a writer on a server that comes back empty, where it is guarded', async () => {
    await outlivesEmptyRestart(JOB);
  });
});

networkFaults({
  between: 'a read-write lock and its users',
  promise: 'lets no writer in beside another holder, and leaks no reader',
  job: JOB,
  leastLeases: 30,
});
