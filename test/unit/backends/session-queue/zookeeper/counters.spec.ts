import type { Backend } from 'bedrock-lock';
import type { Counter, OperationId } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import type { TcpProxy } from 'bedrock-servers';
import { eventually, liveness } from 'bedrock-testkit';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ClientLink } from '../../../../../libs/lock/src/backends/session-queue/zookeeper/connection/client-link.js';
import { CountNodes } from '../../../../../libs/lock/src/backends/session-queue/zookeeper/counters/count-nodes.js';
import { ZooKeeperPaths } from '../../../../../libs/lock/src/backends/session-queue/zookeeper/session/zookeeper-paths.js';
import { ZooKeeperSession } from '../../../../../libs/lock/src/backends/session-queue/zookeeper/session/zookeeper-session.js';
import { fresh, ZooKeeperFixture } from './fixture.js';
import { unlessUnavailable } from '../../../../support/unless-unavailable.js';

const COUNTDOWN = fileURLToPath(new URL('countdown-main.mjs', import.meta.url));
const fixture = new ZooKeeperFixture();
let operations = 0;

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

function operationOf({ processId, operationTimeoutMs }: Backend): OperationId {
  const notAfter = performance.now() + operationTimeoutMs;
  return { id: `${processId}:${++operations}`, attempt: 1, notAfter, keepMs: 60_000 };
}

function repeated(backend: Backend, operation: OperationId): OperationId {
  const notAfter = performance.now() + backend.operationTimeoutMs;
  return { ...operation, attempt: operation.attempt + 1, notAfter };
}

function latch(resource = fresh()): Counter {
  return { kind: 'latch', resource };
}

/** Does so with the request that writes the operation down, before it passes. */
function onWrite(proxy: TcpProxy, { id }: OperationId, strike: () => void): void {
  proxy.onRequest((bytes) => void (bytes.includes(id) && strike()));
}

function heal(proxy: TcpProxy): void {
  proxy.onRequest(() => undefined);
  proxy.dropReplies(false);
  proxy.dropRequests(false);
  proxy.cut();
}

describe('a change of a number', () => {
  it.each([
    ['the reply', 4],
    ['the request', 5],
  ] as const)('counts once when %s is lost and it is repeated', async (what, afterwards) => {
    const { proxy, connect } = await fixture.proxy();
    const [backend, other] = [
      await fixture.backend({ connect, operationTimeoutMs: 1_500 }),
      await fixture.backend(),
    ];
    const [counters, counter] = [backend.counters!, latch()];
    await counters.create(counter, 5, operationOf(backend));
    const counting = operationOf(backend);
    // Requests before the change is written are answered; the write then meets the fault.
    onWrite(proxy, counting, () => (what === 'the reply' ? proxy.dropReplies() : proxy.dropRequests()));
    const answer = counters.add(counter, -1, counting).catch((error: unknown) => error);
    expect(await answer).toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'unknown' });
    expect(await other.counters!.read(counter)).toBe(afterwards);
    heal(proxy);
    await eventually(
      'it is counted',
      unlessUnavailable(async () => (await counters.add(counter, -1, repeated(backend, counting))) === 4),
    );
    expect(await counters.read(counter)).toBe(4);
  });

  it('counts once when its reply is lost, and with it the session that asked', async () => {
    const { proxy, connect } = await fixture.proxy();
    const [backend, other] = [
      await fixture.backend({ connect, operationTimeoutMs: 1_000, maxLeaseMs: 500 }),
      await fixture.backend(),
    ];
    const [counters, counter] = [backend.counters!, latch()];
    await counters.create(counter, 5, operationOf(backend));
    const counting = operationOf(backend);
    onWrite(proxy, counting, () => proxy.dropReplies());
    const answer = counters.add(counter, -1, counting).catch((error: unknown) => error);
    expect(await answer).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await other.counters!.read(counter)).toBe(4);
    proxy.dropRequests();
    await eventually('the session has ended', async () => {
      const sessions = await fixture.admin.children('/bedrock/sessions');
      return !sessions.some((name) => name.startsWith(backend.processId));
    });
    heal(proxy);
    await eventually(
      'it is counted',
      unlessUnavailable(async () => (await counters.add(counter, -1, repeated(backend, counting))) === 4),
    );
    expect(await counters.read(counter)).toBe(4);
  });

  it('is never made to another number of the same name, however late it comes', async () => {
    await fixture.backend();
    const link = new ClientLink({
      ...{ connect: fixture.connect, auth: undefined, sessionTimeoutMs: 30_000, operationTimeoutMs: 2_000 },
      ...{ clock: systemClock, onSent: () => undefined },
      listener: { reconnected: () => undefined, suspended: () => undefined, expired: () => undefined },
    });
    await link.whenConnected(5_000);
    const paths = new ZooKeeperPaths('/bedrock');
    const session = new ZooKeeperSession(link, paths, paths.session(fresh()));
    const nodes = new CountNodes(paths, systemClock, async () => session);
    const resource = fresh();
    const write = async (value: number | undefined): Promise<boolean> => {
      const snapshot = await nodes.snapshot(resource, 'number');
      snapshot.state.set('latch', value);
      return nodes.write(snapshot);
    };
    expect(await write(5)).toBe(true);
    const late = await nodes.snapshot(resource, 'number');
    late.state.set('latch', 4);
    // The number ends, and another begins, which has had as many changes.
    expect([await write(undefined), await write(9)]).toEqual([true, true]);
    expect(await nodes.write(late)).toBe(false);
    expect((await nodes.snapshot(resource, 'number')).state.valueOf('latch')).toBe(9);
    await link.close();
  });

  it('of 100 that four processes make at once is counted, and none is counted twice', async () => {
    const backend = await fixture.backend();
    const counter = latch();
    await backend.counters!.create(counter, 100, operationOf(backend));
    const job = [COUNTDOWN, fixture.connect, counter.resource, '25'];
    const jobs = Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, job, { timeout: 30_000 }),
    );
    const left = (await Promise.all(jobs)).flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(await backend.counters!.read(counter)).toBe(0);
  }, 40_000);
});

describe('a waiter for a number', () => {
  it('is woken by a watch: while nothing happens nothing is sent', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const counter = latch();
    await other.counters!.create(counter, 2, operationOf(other));
    const woken: number[] = [];
    await one.counters!.watch(counter, () => woken.push(performance.now()));
    const { commands } = one;
    await sleep(1_500);
    expect([one.commands - commands, woken.length]).toEqual([0, 0]);
    await other.counters!.add(counter, -1, operationOf(other));
    await sleep(200);
    expect(woken).toEqual([]);
    await liveness.within('a wake', 300, async () => {
      await other.counters!.add(counter, -1, operationOf(other));
      await eventually('it is woken', () => woken.length > 0);
    });
  });

  it('asks a hundredfold no more often than alone', async () => {
    const [one, other] = [await fixture.bedrock(), await fixture.bedrock()];
    const resource = fresh();
    await other.countdownLatch(resource).trySetCount(1);
    const waiting = Array.from({ length: 100 }, () => one.countdownLatch(resource).await({ waitMs: 20_000 }));
    await eventually('all wait', () => one.stats().waiters === 100 && one.stats().watches > 0);
    const { commands } = one.backend;
    await sleep(1_500);
    // A question in case a wake was lost, every 0.6 s at most, of three requests.
    expect(one.backend.commands - commands).toBeLessThanOrEqual(9);
    await other.countdownLatch(resource).countDown();
    await Promise.all(waiting);
  });

  it('is woken after its session has ended', async () => {
    const { proxy, connect } = await fixture.proxy();
    const [one, other] = [await fixture.backend({ connect, maxLeaseMs: 500 }), await fixture.backend()];
    const counter = latch();
    await other.counters!.create(counter, 1, operationOf(other));
    const woken: number[] = [];
    await one.counters!.watch(counter, () => woken.push(performance.now()));
    await proxy.refuse();
    proxy.cut();
    await sleep(1_500);
    await proxy.accept();
    await eventually('contact is a wake', () => woken.length > 0);
    await sleep(100);
    woken.length = 0;
    await other.counters!.add(counter, -1, operationOf(other));
    await eventually('it is woken', () => woken.length > 0);
  });
});

describe('a name', () => {
  it('that has a number is refused to locks, which leave no entry in it', async () => {
    const [one, other] = [await fixture.bedrock(), await fixture.bedrock()];
    const resource = fresh();
    await one.countdownLatch(resource).trySetCount(2);
    for (const waitMs of [0, 1_000])
      await expect(other.mutex(resource).acquire({ waitMs })).rejects.toMatchObject({
        code: 'LOCK_TYPE_MISMATCH',
      });
    expect(await fixture.admin.entries(resource)).toEqual(['count']);
    expect(await one.countdownLatch(resource).countDown()).toBe(1);
  });

  it('that has a latch is refused to semaphores', async () => {
    const [bedrock, other] = [await fixture.bedrock(), await fixture.bedrock()];
    const resource = fresh();
    await bedrock.countdownLatch(resource).trySetCount(2);
    const isMismatch = { code: 'LOCK_TYPE_MISMATCH', resource };
    await expect(other.countingSemaphore(resource).trySetPermits(2)).rejects.toMatchObject(isMismatch);
    await expect(other.countingSemaphore(resource).availablePermits()).rejects.toMatchObject(isMismatch);
    expect(await bedrock.countdownLatch(resource).getCount()).toBe(2);
  });

  it('is free at once when the process that has counted to zero closes', async () => {
    const bedrock = await fixture.bedrock();
    const resource = fresh();
    await bedrock.countdownLatch(resource).trySetCount(1);
    await bedrock.countdownLatch(resource).countDown();
    expect(await fixture.admin.nodesNamed(resource)).toHaveLength(1);
    await bedrock.close();
    expect(await fixture.admin.nodesNamed(resource)).toEqual([]);
  });
});
