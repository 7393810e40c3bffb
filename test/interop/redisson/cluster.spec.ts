import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { liveness, eventually, sharedNow } from 'bedrock-testkit';
import { ClusterFixture } from '../../unit/backends/redis/cluster/fixture.js';
import { handOvers, stamped } from './hand-over.js';
import { JavaProcess } from './java-process.js';
import { JavaThread } from './java-thread.js';
import { LONG_MS, OPEN_WITHIN_MS, VERSIONS, WATCHDOG_MS } from './site.js';

jest.setTimeout(60_000);

const fixture = new ClusterFixture();

beforeAll(() => fixture.start({ replicas: 0 }), OPEN_WITHIN_MS);
afterEach(() => fixture.close());
afterAll(() => fixture.stop());

describe.each(VERSIONS)('Redisson %s and Bedrock on a cluster', (version) => {
  let java: JavaProcess;
  let threads = 0;

  beforeAll(async () => {
    const url = fixture.cluster.nodes.map(({ server }) => server.url).join(',');
    java = await JavaProcess.start({ version, url, watchdogMs: WATCHDOG_MS });
  }, OPEN_WITHIN_MS);
  afterAll(() => java?.halt());

  const thread = () => new JavaThread(java, `t${++threads}`);
  const bedrock = () => fixture.bedrock({}, { defaults: { leaseMs: LONG_MS, waitMs: LONG_MS } });

  /** Resolves when a client is subscribed to the shard channel, and has asked once more since. */
  async function someoneListens(channel: string): Promise<void> {
    await eventually(`a process listens to ${channel}`, async () => {
      const [, count] = (await fixture.on(channel, 'PUBSUB', 'SHARDNUMSUB', channel)) as [string, number];
      return count > 0;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  it.each(['stock', 'shop:{42}:stock'])('exclude each other on the lock %s', async (base) => {
    const name = `${base}:${randomUUID()}`;
    const [lock, mutex] = [thread().lock(name), (await bedrock()).mutex(name)];
    await lock.lock(LONG_MS);
    await expect(mutex.tryAcquire()).resolves.toBeNull();
    await lock.unlock();
    const lease = await mutex.acquire();
    await expect(lock.tryLock(0)).resolves.toMatchObject({ value: false });
    await lease.release();
    await expect(lock.tryLock(0)).resolves.toMatchObject({ value: true });
    await lock.unlock();
  });

  it('hand a lock over by message, both ways, in whatever slot', async () => {
    const node = await bedrock();
    const timings = await handOvers(async () => {
      const name = randomUUID();
      const [lock, mutex] = [thread().lock(name), node.mutex(name)];
      await lock.lock(LONG_MS);
      const waiting = stamped(mutex.acquire());
      await someoneListens(`redisson_lock__channel:{${name}}`);
      const { beganAt } = await lock.unlock();
      const { value: lease, at } = await waiting;
      const again = lock.lock(LONG_MS);
      await someoneListens(`redisson_lock__channel:{${name}}`);
      const releasedAt = sharedNow();
      await lease.release();
      const { endedAt } = await again;
      await lock.unlock();
      return Math.max(at - beganAt, endedAt - releasedAt);
    });
    liveness.assertMedian('the median hand-over', 50, timings);
  });

  it('serve a waiter of Java beside others of Bedrock, which would pass the lock on among them', async () => {
    const name = randomUUID();
    const [one, two] = [(await bedrock()).mutex(name), (await bedrock()).mutex(name)];
    const lock = thread().lock(name);
    const lease = await one.acquire();
    let isServed = false;
    const served = lock.lock(LONG_MS).then(async () => {
      isServed = true;
      await lock.unlock();
    });
    await someoneListens(`redisson_lock__channel:{${name}}`);
    const passing = [one, two].map(async (mutex) => {
      while (!isServed) await mutex.run(() => new Promise((resolve) => setTimeout(resolve, 5)));
    });
    await lease.release();
    await served;
    await Promise.all(passing);
  });

  it('share the tokens of an RFencedLock', async () => {
    const name = randomUUID();
    const node = await fixture.bedrock({ tokens: 'perLock' });
    const lock = thread().fencedLock(name);
    const lease = await node.mutex(name).acquire();
    await lease.release();
    const { value: token } = await lock.lockAndGetToken(LONG_MS);
    expect(Number(token)).toBeGreaterThan(lease.token);
    await lock.unlock();
  });
});
