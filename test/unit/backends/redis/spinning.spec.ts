import { Bedrock } from 'bedrock-lock';
import { eventually, liveness, ExclusionChecker } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
const bedrocks: Bedrock[] = [];

beforeAll(() => fixture.start());
afterEach(async () => {
  await Promise.all(bedrocks.splice(0).map((bedrock) => bedrock.close({ graceMs: 0 })));
  await fixture.clean();
});
afterAll(() => fixture.stop());

async function peer(): Promise<Bedrock> {
  const bedrock = new Bedrock({ backend: await fixture.backend() });
  bedrocks.push(bedrock);
  return bedrock;
}

/** How often the server was asked to do this. */
async function calls(command: string): Promise<number> {
  const stats = await fixture.observer.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

describe('a mutex that spins on Redis', () => {
  it('sends no SUBSCRIBE while it waits', async () => {
    const spinning = (await peer()).mutex('lock', { spin: true });
    const held = await (await peer()).mutex('lock').acquire();
    const before = [await calls('subscribe'), await calls('psubscribe')];
    const asked = await calls('evalsha');
    const waiting = spinning.acquire();
    await eventually('it has asked ten times', async () => (await calls('evalsha')) >= asked + 10);
    expect([await calls('subscribe'), await calls('psubscribe')]).toEqual(before);
    expect(await fixture.observer.pubsub('CHANNELS', '*lock__channel*')).toEqual([]);
    await held.release();
    await (await waiting).release();
  });

  it('has within its longest pause a lock that a client gives back without a message', async () => {
    const lock = (await peer()).mutex('lock', { spin: { lastMs: 100 } });
    await fixture.observer.hset('lock', 'RSpinLock:1', 1);
    await fixture.observer.pexpire('lock', 60_000);
    const waiting = lock.acquire();
    const before = await calls('evalsha');
    await eventually('it is at its longest pause', async () => (await calls('evalsha')) > before + 12);
    const asked = await calls('evalsha');
    const lease = await liveness.within('the next question of a spinning caller', 100 + 200, async () => {
      await fixture.observer.del('lock');
      return waiting;
    });
    // One question of a pause that had begun already; the sweep of one that subscribes comes after 600 ms at the earliest.
    expect(await calls('evalsha')).toBeLessThanOrEqual(asked + 2);
    expect(lease.token).toBeGreaterThan(0);
    await lease.release();
  });

  it('shares the lock with processes that subscribe: every caller has its turn', async () => {
    const locks = [(await peer()).mutex('lock', { spin: true }), (await peer()).mutex('lock')];
    const checker = new ExclusionChecker();
    const callers = locks.flatMap((lock) =>
      Array.from({ length: 10 }, () =>
        lock.run(() => checker.run(() => new Promise((resolve) => setImmediate(resolve)))),
      ),
    );
    await Promise.all(callers);
    expect(checker.assertExclusion().leases).toBe(20);
  });
});
