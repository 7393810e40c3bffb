import { jest } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { redisCommand, startSentinels, type SentinelGroup } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { claimOf, eventually, granted, liveness, sharedNow } from 'bedrock-testkit';
import { Contest, OPERATION_MS } from '../../../faults/contest.js';

jest.setTimeout(60_000);

let group: SentinelGroup;
let contest: Contest;

async function start(...args: Parameters<typeof startSentinels>): Promise<void> {
  group = await startSentinels(...args);
  contest = new Contest({ connection: { sentinels: group.addresses, name: group.name } });
}

afterEach(async () => {
  for (const server of [...group.servers, ...group.sentinels]) server.resume();
  await contest.close();
  await group.stop();
});

/** A crash of the primary, to its end: another one is named and takes writes. */
async function crash(): Promise<void> {
  const primary = await group.primary();
  primary.kill('SIGKILL');
  await group.failedOver(primary);
}

/** What the last release was answered. */
function lastRelease(): string | undefined {
  return contest.history.findLast((event) => event.kind === 'released')?.outcome;
}

describe('Redis behind Sentinels', () => {
  beforeEach(() => start());

  it('is found by options and by a client made so', async () => {
    const client = new Redis({ sentinels: group.addresses, name: group.name, lazyConnect: true });
    const bedrock = new Bedrock({ backend: redis({ client }) });
    await bedrock.ready();
    const lease = await bedrock.mutex('job').acquire();
    const rival = await contest.peer('rival');
    await expect(rival.bedrock.mutex('job').acquire({ waitMs: 0 })).rejects.toMatchObject({
      code: 'LOCK_BUSY',
    });
    await lease.release();
    await bedrock.close();
    expect(client.status).toBe('wait');
  });

  it('keeps a lease through a failover that has it, and its waiter is woken by the new primary', async () => {
    const [holder, rival] = [await contest.peer('holder', { leaseMs: 20_000 }), await contest.peer('rival')];
    const lease = await holder.acquire();
    const waiting = rival.acquire(30_000);
    await crash();
    await eventually('the holder is heard again', () => holder.bedrock.backend.ping().then(() => true, () => false)); // prettier-ignore
    expect(lease!.isHeld).toBe(true);
    const next = await liveness.within('a hand-over after a failover', 1_200, async () => {
      await holder.recorder.release(lease!);
      return waiting;
    });
    expect(lastRelease()).toBe('released');
    expect(next!.isHeld).toBe(true);
    expect(next!.token).toBeGreaterThan(lease!.token);
    await rival.recorder.release(next!);
    contest.judge();
  });

  it('tells a holder at once whose lease the new primary does not have', async () => {
    const holder = await contest.peer('holder', { leaseMs: 20_000 });
    const lease = await holder.acquire();
    const lost = new Promise<string>((resolve) => {
      holder.bedrock.on('lease.lost', ({ reason }) => resolve(reason));
    });
    const [primary, replica] = [group.servers[0]!, group.servers[1]!];
    primary.kill('SIGKILL');
    // What replication had not brought yet when the primary died.
    await redisCommand(replica, 'CONFIG', 'SET', 'replica-read-only', 'no');
    await redisCommand(replica, 'DEL', contest.resource);
    await group.failedOver(primary);
    await expect(lost).resolves.toBe('taken');
    expect(lease!.isHeld).toBe(false);
    await holder.recorder.release(lease!);
    expect(lastRelease()).toBe('lost');
  });

  it('grants nothing that may still be held elsewhere, with restartGuard', async () => {
    const guarded = { restartGuard: true, coldStart: 'trust', maxLeaseMs: 5_000 } as const;
    const holder = await contest.peer('holder', { leaseMs: 4_900 }, guarded);
    const rival = await contest.peer('rival', {}, guarded);
    const lease = await holder.acquire();
    const [primary, replica] = [group.servers[0]!, group.servers[1]!];
    const lostAt = performance.now();
    primary.kill('SIGKILL');
    await redisCommand(replica, 'CONFIG', 'SET', 'replica-read-only', 'no');
    await redisCommand(replica, 'DEL', contest.resource);
    await group.failedOver(primary);
    const next = await rival.acquire(20_000);
    expect(performance.now() - lostAt).toBeGreaterThan(5_000);
    expect(lease!.isHeld).toBe(false);
    await rival.recorder.release(next!);
    contest.judge();
  });

  it('goes on from a primary that became a replica: READONLY is neither a grant nor a refusal', async () => {
    const peer = await contest.peer('peer');
    const { backend } = peer.bedrock;
    await granted(backend, 'before');
    const [primary, replica] = [group.servers[0]!, group.servers[1]!];
    // By hand, so that open connections stay, as they would not with the Sentinels.
    await redisCommand(replica, 'REPLICAOF', 'NO', 'ONE');
    await redisCommand(primary, 'REPLICAOF', replica.host, replica.port);
    await expect(backend.leases.claim(claimOf(backend, 'job'))).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      executed: 'no',
    });
    await expect(peer.lock.run(() => 'ran', { waitMs: 20_000 })).resolves.toBe('ran');
  });

  it('asks the next Sentinel when one is frozen', async () => {
    group.sentinels[0]!.pause();
    await liveness.within('the way past a frozen Sentinel', 5 * OPERATION_MS, () => contest.peer('peer'));
  });

  it('closes while nothing answers, and lets the process end', async () => {
    const job = { tasks: 1, forMs: 1_500, lock: { waitMs: 300 } };
    const contender = contest.contender(job);
    await contender.until('acquired');
    for (const server of [...group.sentinels, ...group.servers]) server.kill('SIGKILL');
    await contest.ended();
    expect(contender.events.at(-1)).toMatchObject({ kind: 'ended' });
  });
});

describe('a primary that takes no writes without a replica', () => {
  // What docs/backends/redis-failover.md asks for: a primary that has been replaced refuses, whatever it believes.
  const SAFE = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '1'];
  beforeEach(() => start({ replicas: 2, args: SAFE }));

  it.each([
    ['crashes', async () => crash()],
    ['changes roles with its replica', async () => void (await group.switchOver())],
    [
      'is frozen, and comes back when another has taken over',
      async () => {
        const primary = await group.primary();
        primary.pause();
        await group.failedOver(primary);
        primary.resume();
      },
    ],
  ])('stays exclusive under load while the primary %s, and every call settles', async (_how, fault) => {
    const lock = { leaseMs: 1_000, waitMs: 20_000 };
    const job = { tasks: 2, forMs: 4_000, bodyMs: [1, 20], sampleMs: 5, lock } as const;
    const contenders = [contest.contender(job), contest.contender(job), contest.contender(job)];
    await Promise.all(contenders.map((one) => one.until('acquired')));
    const faultAt = sharedNow();
    await fault();
    // After this time, no grant comes from the old one.
    const isLater = ({ at }: { at: number }) => at > faultAt + 500;
    await Promise.all(contenders.map((one) => one.until('acquired', isLater)));
    await contest.ended();
    const report = contest.judge();
    expect(report.failures).toEqual({});
  });
});
