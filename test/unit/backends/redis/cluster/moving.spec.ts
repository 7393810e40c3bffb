import { jest } from '@jest/globals';
import type { RedisOptions } from 'bedrock-lock/redis';
import { redisCommand, type SlotMove } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, liveness } from 'bedrock-testkit';
import { Redis as Redis5 } from 'ioredis-5';
import { createClient } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { Contest, delay, UNTIL_FINISHED } from '../../../../faults/contest.js';
import { ClusterFixture } from './fixture.js';

jest.setTimeout(60_000);

const fixture = new ClusterFixture();
beforeAll(() => fixture.start({ replicas: 0 }));
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

async function move(resource: string): Promise<SlotMove> {
  const from = await fixture.masterOf(resource);
  return fixture.cluster.moveSlot(await fixture.cluster.slotOf(resource), await fixture.otherThan(from));
}

describe('a slot that moves to another server', () => {
  it('takes its locks along: a request to the old server is sent on, and executed once', async () => {
    const [mine, other] = [await fixture.backend(), await fixture.backend()];
    const held = await granted(mine, 'lock', { tokens: 5 });
    const moving = await move('lock');
    await moving.finish();
    await expect(other.leases.claim(claimOf(other, 'lock'))).resolves.toMatchObject({ kind: 'refused' });
    await expect(mine.leases.renew([{ ...held, keepMs: 0 }])).resolves.toEqual(['renewed']);
    await expect(mine.leases.inspect('lock', held.shape)).resolves.toMatchObject([{ id: held.id }]);
    await expect(mine.leases.withdraw(held, FREE)).resolves.toBe('released');
    const next = await granted(other, 'lock', { tokens: 5 });
    expect(next.token).toBeGreaterThan(held.token + 4);
  });

  it('keeps serving while it moves: keys that are there, keys that have gone already, and new ones', async () => {
    const mine = await fixture.backend();
    const held = await granted(mine, '{tag}held');
    const gone = await granted(mine, '{tag}gone');
    const moving = await move('{tag}held');
    const { host, port } = moving.to.server;
    await redisCommand(moving.from.server, 'MIGRATE', host, port, '{tag}gone', 0, 1_000);
    const refs = [held, gone].map((ref) => ({ ...ref, keepMs: 0 }));
    await expect(mine.leases.renew(refs)).resolves.toEqual(['renewed', 'renewed']);
    // Such a claim needs keys that are nowhere yet: it has to wait for the end of the move.
    const claiming = mine.leases.claim(claimOf(mine, '{tag}new', { notAfter: performance.now() + 5_000 }));
    await delay(100);
    await moving.finish();
    await expect(claiming).resolves.toMatchObject({ kind: 'granted' });
    await expect(mine.leases.withdraw(held, FREE)).resolves.toBe('released');
    await expect(mine.leases.withdraw(gone, FREE)).resolves.toBe('released');
  });

  it('is unavailable for as long as one operation may take, when the move stands still', async () => {
    const mine = await fixture.backend({ operationTimeoutMs: 300 });
    const moving = await move('lock');
    try {
      const startedAt = performance.now();
      const unavailable = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
      await liveness.within('a claim', 400, () =>
        expect(mine.leases.claim(claimOf(mine, 'lock'))).rejects.toMatchObject(unavailable),
      );
      expect(performance.now() - startedAt).toBeGreaterThan(200);
    } finally {
      await moving.finish();
    }
  });

  it.each<[library: string, client: () => RedisOptions]>([
    ['ioredis 6', () => ({})],
    ['ioredis 5', () => ({ client: new Redis5({ lazyConnect: true }) })],
    ['node-redis 6', () => ({ client: createClient() })],
    ['node-redis 5', () => ({ client: createClient5() })],
  ])('takes the subscriptions along, which wake at once, through %s', async (_library, client) => {
    const [holder, waiter] = [await fixture.bedrock(), await fixture.bedrock(client())];
    const lease = await holder.mutex('lock').acquire();
    const waiting = waiter.mutex('lock').acquire({ waitMs: 30_000 });
    await eventually(
      'the waiter in the queue',
      async () => (await fixture.keys('bedrock_order*')).length === 1,
    );
    for (let turn = 0; turn < 3; turn += 1) {
      const moving = await move('lock');
      await moving.finish();
      await eventually('the subscription on the new server', async () => {
        const channels = await redisCommand(moving.to.server, 'PUBSUB', 'SHARDCHANNELS', '*');
        return (channels as string[]).includes('redisson_lock__channel:{lock}');
      });
    }
    const next = await liveness.within('a wake', 50, async () => {
      await lease.release();
      return waiting;
    });
    await next.release();
  });

  it('is asked for a bounded time when two servers redirect to each other', async () => {
    const mine = await fixture.backend({ operationTimeoutMs: 300 });
    const slot = await fixture.cluster.slotOf('lock');
    const owner = await fixture.cluster.masterOf(slot);
    const other = await fixture.otherThan(owner);
    await redisCommand(owner.server, 'CLUSTER', 'SETSLOT', slot, 'NODE', other.id);
    const before = mine.commands;
    await liveness.within('a claim', 400, () =>
      expect(mine.leases.claim(claimOf(mine, 'lock'))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' }),
    );
    expect(mine.commands - before).toBeLessThan(60);
    await redisCommand(owner.server, 'CLUSTER', 'SETSLOT', slot, 'NODE', owner.id);
    await granted(mine, 'lock');
  });

  it('again and again under load costs no caller an error and no lock its exclusion', async () => {
    const contest = new Contest({ ...fixture.options, operationTimeoutMs: 1_000 }, '{moving}lock');
    const lock = { leaseMs: 2_000, waitMs: 10_000 };
    const job = { tasks: 3, ...UNTIL_FINISHED, bodyMs: [0, 5], sampleMs: 2, lock } as const;
    const contenders = [contest.contender(job), contest.contender(job), contest.contender(job)];
    await Promise.all(contenders.map((one) => one.until('acquired')));
    const slot = await fixture.cluster.slotOf('{moving}lock');
    for (let turn = 0; turn < 6; turn += 1) {
      const from = await fixture.cluster.masterOf(slot);
      const moving = await fixture.cluster.moveSlot(slot, await fixture.otherThan(from));
      // As `redis-cli --cluster reshard` goes: key by key, while there is traffic.
      for (let key = 0; key < 4; key += 1) {
        await moving.moveKeys(1);
        await delay(10);
      }
      await moving.finish();
      const counts = contenders.map(({ events }) => events.length);
      await Promise.all(
        contenders.map((one, i) => one.until('acquired', (event) => one.events.indexOf(event) >= counts[i]!)),
      );
    }
    await contest.finish();
    const report = contest.judge();
    await contest.close();
    expect(report.failures).toEqual({});
    expect(await fixture.keys('*moving*')).toEqual([]);
  });
});
