import { jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import type { TestingModule } from '@nestjs/testing';
import { LockBusyError, LockLostError } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { ManualClock } from 'bedrock-testkit';
import { currentLease, DistributedLock, type BedrockLockModuleOptions } from 'nestjs-bedrock';
import { bedrockOf, closeAll, deferred, locksOf, start, until } from '../app.js';

afterEach(closeAll);

/** A time that does not come while a test runs: the test fires the job itself. */
const NEW_YEAR = '0 0 0 1 1 *';
const LOCKS = ['above', 'below', 'report'];

function schedule(provider: new () => object, options: Partial<BedrockLockModuleOptions> = {}) {
  return start({ imports: [ScheduleModule.forRoot(), locksOf(LOCKS, options)], providers: [provider] });
}

function fire(app: TestingModule, job: string): void {
  void app.get(SchedulerRegistry, { strict: false }).getCronJob(job).fireOnTick();
}

/** Counts the ticks that found the lock busy. */
function countSkips(app: TestingModule): { skips: number } {
  const seen = { skips: 0 };
  bedrockOf(app)
    .bedrock()
    .on('wait.ended', ({ end }) => (seen.skips += end === 'busy' ? 1 : 0));
  return seen;
}

describe('@DistributedLock() on a scheduled method', () => {
  const seen = new Map<string, unknown>();
  const note = (method: string) => seen.set(method, currentLease()?.resource);

  @Injectable()
  class Jobs {
    @DistributedLock({ lock: 'above', key: 'cron' })
    @Cron(NEW_YEAR, { name: 'above' })
    async cronAbove(): Promise<void> {
      note('cronAbove');
    }

    @Cron(NEW_YEAR, { name: 'below' })
    @DistributedLock({ lock: 'below', key: 'cron' })
    async cronBelow(): Promise<void> {
      note('cronBelow');
    }

    @DistributedLock({ lock: 'above', key: 'interval' })
    @Interval('above', 1)
    async intervalAbove(): Promise<void> {
      note('intervalAbove');
    }

    @Interval('below', 1)
    @DistributedLock({ lock: 'below', key: 'interval' })
    async intervalBelow(): Promise<void> {
      note('intervalBelow');
    }

    @DistributedLock({ lock: 'above', key: 'timeout' })
    @Timeout('above', 1)
    async timeoutAbove(): Promise<void> {
      note('timeoutAbove');
    }

    @Timeout('below', 1)
    @DistributedLock({ lock: 'below', key: 'timeout' })
    async timeoutBelow(): Promise<void> {
      note('timeoutBelow');
    }
  }

  it('works above and below @Cron, @Interval and @Timeout', async () => {
    const app = await schedule(Jobs);
    for (const job of ['above', 'below']) fire(app, job);
    await until(() => seen.size === 6);
    expect(Object.fromEntries(seen)).toEqual({
      cronAbove: 'above:cron',
      cronBelow: 'below:cron',
      intervalAbove: 'above:interval',
      intervalBelow: 'below:interval',
      timeoutAbove: 'above:timeout',
      timeoutBelow: 'below:timeout',
    });
  });
});

describe("a job with onBusy: 'skip'", () => {
  let runs = 0;
  let body: () => Promise<void> = async () => {};
  beforeEach(() => (runs = 0));

  @Injectable()
  class Reports {
    @Cron(NEW_YEAR, { name: 'nightly' })
    @DistributedLock({ lock: 'report', onBusy: 'skip' })
    async nightly(): Promise<void> {
      runs += 1;
      await body();
    }
  }

  @Injectable()
  class Ticking {
    @Cron('* * * * * *', { name: 'ticking' })
    @DistributedLock({ lock: 'report', onBusy: 'skip' })
    async ticking(): Promise<void> {
      runs += 1;
      await body();
    }
  }

  @Injectable()
  class Short {
    @Cron(NEW_YEAR, { name: 'short' })
    @DistributedLock({ lock: 'report', onBusy: 'skip', holdAtLeastMs: 2_000 })
    async short(): Promise<void> {
      runs += 1;
    }
  }

  @Injectable()
  class TenMinutely {
    @Cron(NEW_YEAR, { name: 'tenMinutely' })
    @DistributedLock({ lock: 'report', onBusy: 'skip', holdAtLeastMs: 300_000 })
    async tenMinutely(): Promise<void> {
      runs += 1;
    }
  }

  /** Two processes on one server. */
  async function pair(provider: new () => object) {
    const store = new MemoryStore();
    const options = { backend: () => memory({ store }) };
    const apps = [await schedule(provider, options), await schedule(provider, options)] as const;
    const [first, second] = apps.map(countSkips);
    return { apps, skips: () => first!.skips + second!.skips };
  }

  it('runs in one of two applications per tick, and the other skips it', async () => {
    const { apps, skips } = await pair(Reports);
    for (let tick = 1; tick <= 5; tick += 1) {
      const over = deferred();
      body = () => over.opened;
      for (const app of tick % 2 === 0 ? apps : apps.toReversed()) fire(app, 'nightly');
      await until(() => runs + skips() === 2 * tick);
      expect({ runs, skips: skips() }).toEqual({ runs: tick, skips: tick });
      over.open();
      await until(() => apps.every((app) => bedrockOf(app).bedrock().stats().resources === 0));
    }
  });

  it('is skipped by a process that comes when the job has ended, for holdAtLeastMs', async () => {
    const { apps, skips } = await pair(Short);
    const begun = performance.now();
    fire(apps[0], 'short');
    await until(() => runs === 1 && bedrockOf(apps[0]).bedrock().stats().holds === 0);
    for (const app of apps) fire(app, 'short');
    await until(() => skips() === 2);
    const held = bedrockOf(apps[1]).lock('report');
    await held.run(() => undefined, { waitMs: Infinity });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(2_000);
    expect(runs).toBe(1);
  });

  it('is skipped for 5 minutes by a holdAtLeastMs of 300,000, with a backend as it comes', async () => {
    const clock = new ManualClock();
    const app = await schedule(TenMinutely, { backend: () => memory({ clock }), clock });
    const seen = countSkips(app);
    const tick = async () => {
      fire(app, 'tenMinutely');
      await clock.advance(0);
    };
    await tick();
    expect({ runs, ...seen }).toEqual({ runs: 1, skips: 0 });
    await clock.advance(299_000);
    await tick();
    expect({ runs, ...seen }).toEqual({ runs: 1, skips: 1 });
    await clock.advance(1_000);
    await tick();
    expect({ runs, ...seen }).toEqual({ runs: 2, skips: 1 });
  });

  it('does so on the ticks of a real clock', async () => {
    const over = deferred();
    body = () => over.opened;
    const { skips } = await pair(Ticking);
    await until(() => skips() > 0);
    expect(runs).toBe(1);
    over.open();
  });

  it('is skipped too while its own last run goes on', async () => {
    const over = deferred();
    body = () => over.opened;
    const app = await schedule(Reports);
    fire(app, 'nightly');
    await until(() => runs === 1);
    fire(app, 'nightly');
    over.open();
    await until(() => bedrockOf(app).bedrock().stats().resources === 0);
    expect(runs).toBe(1);
    fire(app, 'nightly');
    await until(() => runs === 2);
  });

  it('has its lease, and may finish when the application closes meanwhile', async () => {
    const over = deferred();
    const held: unknown[] = [];
    body = async () => {
      await over.opened;
      held.push(currentLease()?.isHeld);
    };
    const app = await schedule(Reports, { shutdownGraceMs: 10_000 });
    fire(app, 'nightly');
    await until(() => runs === 1);
    const closing = app.close();
    await until(() => bedrockOf(app).bedrock().isClosed);
    // The jobs were stopped before the locks, so no tick meets closed locks.
    expect(app.get(SchedulerRegistry, { strict: false }).getCronJobs().size).toBe(0);
    expect(held).toEqual([]);
    over.open();
    await closing;
    expect(held).toEqual([true]);
  });

  it('loses its lock when it does not finish in time, and the scheduler logs that', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const over = deferred();
    body = () => over.opened;
    const app = await schedule(Reports, { shutdownGraceMs: 1 });
    fire(app, 'nightly');
    await until(() => runs === 1);
    await app.close();
    over.open();
    await until(() => logged.mock.calls.length > 0);
    expect(logged.mock.calls).toEqual([[expect.any(LockLostError)]]);
    logged.mockRestore();
  });
});

describe('a job that does not say what to do when its lock is busy', () => {
  const runs: string[] = [];

  @Injectable()
  class Impatient {
    @Cron(NEW_YEAR, { name: 'cron' })
    @DistributedLock({ lock: 'report', waitMs: 0 })
    async cron(): Promise<void> {
      runs.push('cron');
    }

    @Interval(1)
    @DistributedLock({ lock: 'above', waitMs: 0 })
    async interval(): Promise<void> {
      runs.push('interval');
    }

    @Timeout(1)
    @DistributedLock({ lock: 'below', waitMs: 0 })
    async timeout(): Promise<void> {
      runs.push('timeout');
    }
  }

  it('fails for that tick: the scheduler logs the error, and the next tick comes', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const options = { backend: () => memory({ store }) };
    const store = new MemoryStore();
    const holder = bedrockOf(await start({ imports: [locksOf(LOCKS, options)] }));
    const held = await Promise.all(LOCKS.map((name) => holder.lock(name).acquire()));
    const app = await schedule(Impatient, options);
    fire(app, 'cron');
    const errors = () => logged.mock.calls.map(([error]) => error as unknown as LockBusyError);
    const failed = () => [...new Set(errors().map(({ resource }) => resource))].sort();
    await until(() => failed().length === 3);
    expect(failed()).toEqual(LOCKS);
    for (const error of errors()) expect(error).toBeInstanceOf(LockBusyError);
    expect(runs).toEqual([]);
    await Promise.all(held.map((lease) => lease.release()));
    fire(app, 'cron');
    await until(() => runs.includes('cron') && runs.includes('interval'));
    expect(runs).not.toContain('timeout');
    logged.mockRestore();
  });
});
