import { jest } from '@jest/globals';
import type { BackendUnavailableError } from 'bedrock-lock';
import { redisCommand } from 'bedrock-servers';
import { claimOf, eventually, granted, liveness, sharedNow } from 'bedrock-testkit';
import { Contest, delay } from '../../../../faults/contest.js';
import { ClusterFixture } from './fixture.js';

jest.setTimeout(60_000);

const OPERATION_MS = 300;
let fixture: ClusterFixture;
let contest: Contest;

beforeEach(async () => {
  fixture = new ClusterFixture();
  await fixture.start();
  contest = new Contest({ cluster: fixture.cluster.addresses, operationTimeoutMs: OPERATION_MS });
});
afterEach(async () => {
  await contest.close();
  await fixture.stop();
});

/** Kills the master of the contest, and waits until a replica serves. */
async function crash(): Promise<void> {
  const slot = await fixture.cluster.slotOf(contest.resource);
  const dead = await fixture.cluster.masterOf(slot);
  dead.server.kill('SIGKILL');
  await fixture.cluster.failedOver(slot, dead);
}

describe('a master that dies', () => {
  it('costs no lease that its replica has, and its waiters are woken there', async () => {
    const [holder, rival] = [await contest.peer('holder', { leaseMs: 20_000 }), await contest.peer('rival')];
    const lease = await holder.acquire();
    const waiting = rival.acquire(30_000);
    await crash();
    const isHeard = async () => {
      const server = (await fixture.masterOf(contest.resource)).server;
      return ((await redisCommand(server, 'PUBSUB', 'SHARDCHANNELS', '*')) as string[]).length > 0;
    };
    await eventually('a subscription on the new master', isHeard);
    expect(lease!.isHeld).toBe(true);
    const next = await liveness.within('a hand-over on the new master', 1_000, async () => {
      await holder.recorder.release(lease!);
      return waiting;
    });
    expect(next!.token).toBeGreaterThan(lease!.token);
    await rival.recorder.release(next!);
    const report = contest.judge();
    expect(report.lost).toBe(0);
  });

  it('and had not yet told its replica: the holder hears of its loss as soon as the replica serves', async () => {
    const holder = await contest.peer('holder', { leaseMs: 20_000 });
    const lease = await holder.acquire();
    const lost = new Promise<string>((resolve) => {
      holder.bedrock.on('lease.lost', ({ reason }) => resolve(reason));
    });
    const slot = await fixture.cluster.slotOf(contest.resource);
    const master = await fixture.cluster.masterOf(slot);
    master.server.kill('SIGKILL');
    // What replication would have brought.
    for (const { server } of fixture.cluster.nodes.slice(3)) {
      await redisCommand(server, 'CONFIG', 'SET', 'replica-read-only', 'no');
      await redisCommand(server, 'FLUSHALL');
    }
    await fixture.cluster.failedOver(slot, master);
    await liveness.within('the loss', 1_500, () => expect(lost).resolves.toBe('taken'));
    expect(lease!.isHeld).toBe(false);
  });

  it('leaves the locks of the other masters alone', async () => {
    const mine = await fixture.bedrock({ operationTimeoutMs: OPERATION_MS });
    const dead = await fixture.masterOf('job');
    const names = Array.from({ length: 30 }, (_, i) => `other${i}`);
    const others: string[] = [];
    for (const name of names) if ((await fixture.masterOf(name)) !== dead) others.push(name);
    dead.server.kill('SIGKILL');
    // Until the cluster has noticed, the others serve; then it is down as a whole, unless told otherwise.
    await liveness.within('the locks of the others', OPERATION_MS, () =>
      Promise.all(others.map((name) => mine.mutex(name, { waitMs: 0 }).run(() => 'ran'))),
    );
  });

  it.each([
    ['crashes', crash],
    [
      'is frozen, and comes back when its replica has taken over',
      async () => {
        const slot = await fixture.cluster.slotOf(contest.resource);
        const master = await fixture.cluster.masterOf(slot);
        master.server.pause();
        await fixture.cluster.failedOver(slot, master);
        master.server.resume();
      },
    ],
    [
      'gives its place to its replica',
      async () => {
        const slot = await fixture.cluster.slotOf(contest.resource);
        const master = await fixture.cluster.masterOf(slot);
        const replica = fixture.cluster.nodes[fixture.cluster.nodes.indexOf(master) + 3]!;
        await redisCommand(replica.server, 'CLUSTER', 'FAILOVER');
        await fixture.cluster.failedOver(slot, master);
      },
    ],
  ])('stays exclusive under load while it %s, and every call settles', async (_how, fault) => {
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

describe('replicaAcks on a cluster', () => {
  it('grants what the replica of the slot has, and nothing without it', async () => {
    const mine = await fixture.backend({ replicaAcks: { count: 1, timeoutMs: 100 } });
    const held = await granted(mine, 'job');
    const master = await fixture.masterOf('job');
    const replica = fixture.cluster.nodes[fixture.cluster.nodes.indexOf(master) + 3]!;
    replica.server.pause();
    await expect(mine.leases.claim(claimOf(mine, '{job}2'))).rejects.toThrow(/0 of 1 replicas/);
    await expect(mine.leases.renew([{ ...held, keepMs: 0 }])).resolves.toEqual(['renewed']);
  });
});

describe('a cluster that is down', () => {
  it('is unavailable in time, and serves again when it is up, also a backend that began while it was down', async () => {
    const early = await fixture.backend({ operationTimeoutMs: OPERATION_MS });
    await Promise.all(
      fixture.cluster.nodes.map(async ({ server }) => {
        server.kill('SIGKILL');
        await eventually('its end', () => redisCommand(server, 'PING').then(() => false, () => true)); // prettier-ignore
      }),
    );
    // A request sent before the end was noticed may have been executed, for all that it knows.
    // One server after the other is: what counts is the one that is asked below.
    const isNoticed = () =>
      early.leases.claim(claimOf(early, 'job')).then(
        () => false,
        ({ executed }: BackendUnavailableError) => executed === 'no',
      );
    await eventually('it is noticed', isNoticed);
    const late = fixture.unready({ operationTimeoutMs: OPERATION_MS });
    for (const backend of [early, late, early, late]) {
      const unavailable = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
      await liveness.within('a claim', OPERATION_MS + 100, () =>
        expect(backend.leases.claim(claimOf(backend, 'job'))).rejects.toMatchObject(unavailable),
      );
    }
    await liveness.within('ready()', 5 * OPERATION_MS + 200, () =>
      expect(late.ready()).rejects.toThrow(/ECONNREFUSED/),
    );
    const waiting = fixture.unready({ operationTimeoutMs: 1_500 }).ready();
    // Longer than one question may take.
    await delay(1_600);
    await Promise.all(fixture.cluster.nodes.map(({ server }) => server.restart()));
    await waiting;
    for (const backend of [early, late]) {
      const isGranted = () =>
        backend.leases.claim(claimOf(backend, backend.processId)).then(
          ({ kind }) => kind === 'granted',
          () => false,
        );
      await eventually('a grant', isGranted, { withinMs: 15_000 });
    }
  });

  it('closes, and lets the process end', async () => {
    const contender = contest.contender({ tasks: 2, forMs: 1_500, bodyMs: 5, lock: { waitMs: 300 } });
    await contender.until('acquired');
    for (const { server } of fixture.cluster.nodes) server.kill('SIGKILL');
    await contest.ended();
    expect(contender.events.at(-1)).toMatchObject({ kind: 'ended' });
  });

  it('that does not answer at all is unavailable in time, at first and later', async () => {
    const mine = await fixture.backend({ operationTimeoutMs: OPERATION_MS });
    for (const { server } of fixture.cluster.nodes) server.pause();
    await liveness.within('a claim', OPERATION_MS + 100, () =>
      expect(mine.leases.claim(claimOf(mine, 'job'))).rejects.toMatchObject({ executed: 'unknown' }),
    );
    await expect(fixture.backend({ operationTimeoutMs: 100 })).rejects.toThrow(/unavailable/);
    const waiting = mine.ready();
    await mine.close();
    await expect(waiting).rejects.toThrow(/closed/);
    for (const { server } of fixture.cluster.nodes) server.resume();
    await delay(1);
  });
});
