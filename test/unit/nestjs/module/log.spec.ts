import { jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { Cron, Interval, ScheduleModule } from '@nestjs/schedule';
import { BackendUnavailableError } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';
import { currentLease, DistributedLock, type BedrockLockModuleOptions } from 'nestjs-bedrock';
import { closeAll, locksOf, start, startError, until } from '../app.js';

const NEVER = '0 0 0 1 1 *';
/** `event-log.spec.ts` has the lines about the outage itself. */
const WITHOUT_EVENTS = { logger: false } as const;

let warned: jest.SpiedFunction<Logger['warn']>;
let failed: jest.SpiedFunction<Logger['error']>;
const linesOf = (spy: typeof warned | typeof failed) => spy.mock.calls.map(([line]) => line as unknown);

beforeEach(() => {
  warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  failed = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  await closeAll();
  jest.restoreAllMocks();
});

@Injectable()
class Jobs {
  body: () => Promise<unknown> = async () => undefined;

  @Cron(NEVER)
  @DistributedLock('report')
  async report(_day?: string): Promise<unknown> {
    return this.body();
  }
}

@Injectable()
class Ticking {
  @Cron('* * * * * *')
  @DistributedLock({ lock: 'report', key: 'cron' })
  async cron(): Promise<void> {}

  @Interval(10)
  @DistributedLock({ lock: 'report', key: 'interval' })
  async interval(): Promise<void> {}
}

async function jobs(more: Partial<BedrockLockModuleOptions> = {}) {
  const clock = new ManualClock();
  const backend = new FaultyBackend(memory({ clock }), { clock });
  const options = { backend: () => backend, clock, defaults: { failFast: true }, ...more };
  const app = await start({
    imports: [ScheduleModule.forRoot(), locksOf(['report'], options)],
    providers: [Jobs],
  });
  return { clock, backend, jobs: app.get(Jobs) };
}

describe('the log of the application', () => {
  it('names a lease that is lost in a provider', async () => {
    const { clock, backend, jobs: provider } = await jobs();
    provider.body = async () => {
      backend.plan('renew', { kind: 'hang' }, Infinity);
      await clock.advance(40_000);
      return currentLease()!.isHeld;
    };
    await expect(provider.report()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(linesOf(warned)).toEqual([
      expect.stringMatching(/^lock "report" was lost after \d+ ms: (expired|unconfirmed)$/),
    ]);
  });

  it('names missed ticks once a minute, without a stack', async () => {
    const { clock, backend, jobs: provider } = await jobs(WITHOUT_EVENTS);
    backend.plan('claim', { kind: 'refuse' }, Infinity);
    for (let tick = 0; tick < 5; tick += 1) {
      expect(await provider.report()).toBeUndefined();
      await clock.advance(10_000);
    }
    expect(linesOf(failed)).toEqual([
      expect.stringMatching(
        /^Jobs\.report\(\) did not run: .*memory is unavailable.*\. Logged once a minute$/,
      ),
    ]);
    await clock.advance(10_000);
    await provider.report();
    expect(failed).toHaveBeenCalledTimes(2);
  });

  it('names the real ticks of @Cron and @Interval in that way, and the scheduler logs nothing', async () => {
    const backend = new FaultyBackend(memory());
    backend.plan('claim', { kind: 'refuse' }, Infinity);
    const options = { backend: () => backend, defaults: { failFast: true }, ...WITHOUT_EVENTS };
    const imports = [ScheduleModule.forRoot(), locksOf(['report'], options)];
    await start({ imports, providers: [Ticking] });
    const ticksOf = (job: string) =>
      backend.callsOf('claim').filter(({ input }) => input.resource.endsWith(job));
    await until(() => ticksOf('cron').length > 1 && ticksOf('interval').length > 1);
    expect(linesOf(failed).map(String).sort()).toEqual([
      expect.stringMatching(/^Ticking\.cron\(\) did not run: .*Logged once a minute$/),
      expect.stringMatching(/^Ticking\.interval\(\) did not run: .*Logged once a minute$/),
    ]);
  });

  it('leaves out errors that reach a caller with arguments, and errors of the body', async () => {
    const { backend, jobs: provider } = await jobs(WITHOUT_EVENTS);
    provider.body = async () => {
      throw new Error('of the body');
    };
    await expect(provider.report()).rejects.toThrow('of the body');
    backend.plan('claim', { kind: 'refuse' });
    await expect(provider.report('monday')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(failed).not.toHaveBeenCalled();
  });

  it('says which backend keeps the application from its start, and what to do', async () => {
    const backend = new FaultyBackend(memory());
    jest.spyOn(backend, 'ready').mockRejectedValue(new BackendUnavailableError('memory', 'gone', 'no'));
    await startError({ imports: [locksOf(['report'], { backend: () => backend })] });
    expect(linesOf(failed)).toEqual([
      expect.stringMatching(/^backend "default": .*memory is unavailable.*set startDegraded: true/),
    ]);
  });
});
