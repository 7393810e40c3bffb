import { LockTypeMismatchError, type Backend } from 'bedrock-lock';
import { permits, READER, WRITER, type Claim } from 'bedrock-lock/backend';
import { zookeeperSays } from 'bedrock-servers';
import { eventually, FREE } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { whileAsking } from '../while-asking.js';
import { again, claimOf, fresh, tokenOf, ZooKeeperFixture } from './fixture.js';

const fixture = new ZooKeeperFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

async function watches(): Promise<number> {
  return Number(/zk_watch_count\s+(\d+)/.exec(await zookeeperSays(fixture.server.port, 'mntr'))?.[1]);
}

describe('a waiter', () => {
  it('watches its predecessor alone: a release wakes one of a hundred', async () => {
    const backend = await fixture.backend({ operationTimeoutMs: 5_000 });
    const resource = fresh();
    const woken: (string | undefined)[] = [];
    await backend.leases.watch(resource, READER, (wake) => woken.push(wake?.claimId));
    const claims = Array.from({ length: 101 }, () => claimOf(backend, resource));
    await backend.leases.claim(claims[0]!);
    const waiting = claims.slice(1);
    await whileAsking(backend, waiting, async () => {
      await Promise.all(waiting.map((claim) => backend.leases.claim(claim)));
      // Of the holder's own entry, and of 100 predecessors.
      await eventually('all watch', async () => (await watches()) === 101, { withinMs: 1_000 });
      for (let i = 0; i < 3; i += 1) {
        woken.length = 0;
        const next = waiting[0]!;
        await backend.leases.withdraw(claims[i]!, FREE);
        await eventually('the next is woken', () => woken.length > 0);
        await sleep(50);
        expect(woken).toEqual([next.id]);
        expect((await backend.leases.claim(again(backend, next))).kind).toBe('granted');
        waiting.shift();
      }
    });
  }, 30_000);

  it('as a reader watches the writer ahead, and as one of n permits those that matter', async () => {
    const backend = await fixture.backend();
    const woken: string[] = [];
    const ask = async (resource: string, shape: Claim['shape']): Promise<Claim> => {
      const claim = claimOf(backend, resource, { shape, tokens: 0 });
      await backend.leases.claim(claim);
      return claim;
    };
    const shelf = fresh();
    await backend.leases.watch(shelf, READER, (wake) => woken.push(wake!.claimId));
    const writer = await ask(shelf, WRITER);
    const readers = [await ask(shelf, READER), await ask(shelf, READER)];
    await sleep(50);
    await backend.leases.withdraw(writer, FREE);
    await eventually('both readers are woken', () => woken.length === 2);
    expect(new Set(woken)).toEqual(new Set(readers.map(({ id }) => id)));
    const pool = fresh();
    woken.length = 0;
    await backend.leases.watch(pool, READER, (wake) => woken.push(wake!.claimId));
    const held = [await ask(pool, permits(1, 2)), await ask(pool, permits(1, 2))];
    const waiting = [await ask(pool, permits(2, 2)), await ask(pool, permits(1, 2))];
    await sleep(50);
    await backend.leases.withdraw(held[1]!, FREE);
    await eventually('the first is woken', () => woken.length === 1);
    await backend.leases.claim(again(backend, waiting[0]!));
    await backend.leases.withdraw(held[0]!, FREE);
    await eventually('it is woken again', () => woken.length === 2);
    expect(woken).toEqual([waiting[0]!.id, waiting[0]!.id]);
  });

  it('has one entry for all callers of a process: one that wants as much takes it over, one that wants more waits at the end', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const pool = fresh();
    const ask = (backend: Backend, units: number): Claim =>
      claimOf(backend, pool, { shape: permits(units, 4), tokens: 0 });
    const held = ask(one, 4);
    await one.leases.claim(held);
    const claims = [ask(one, 2), ask(other, 1), ask(one, 2), ask(one, 3)] as const;
    const order = async (): Promise<string[]> =>
      (await fixture.admin.entries(pool))
        .sort((a, b) => a.slice(-10).localeCompare(b.slice(-10)))
        .map((name) => decodeURIComponent(name.split(';')[0]!));
    await one.leases.claim(claims[0]);
    await other.leases.claim(claims[1]);
    await one.leases.withdraw(claims[0], { keepMs: 0, leaveQueue: false });
    await one.leases.claim(claims[2]);
    expect(await order()).toEqual([held, claims[2], claims[1]].map(({ id }) => id));
    await one.leases.withdraw(claims[2], { keepMs: 0, leaveQueue: false });
    await one.leases.claim(claims[3]);
    await eventually('the kept entry is gone', async () => (await order()).length === 3, { withinMs: 500 });
    expect(await order()).toEqual([held, claims[1], claims[3]].map(({ id }) => id));
  });

  it('loses its entry when it no longer asks', async () => {
    const backend = await fixture.backend();
    const [held, silent] = [claimOf(backend, fresh()), claimOf(backend, '')];
    await backend.leases.claim(held);
    await backend.leases.claim({ ...silent, resource: held.resource });
    expect(await fixture.admin.entries(held.resource)).toHaveLength(2);
    await eventually('it is gone', async () => (await fixture.admin.entries(held.resource)).length === 1, {
      withinMs: 2_500,
    });
    expect((await backend.leases.inspect(held.resource, held.shape))[0]?.id).toBe(held.id);
  });
});

describe('tokens', () => {
  it('grow from grant to grant, whether it waited, was asked for again, or reserved many', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const resource = fresh();
    let last: number;
    let previous = claimOf(one, resource, { tokens: 3_000 });
    last = tokenOf(await one.leases.claim(previous)) + 2_999;
    for (const backend of [other, one, other, other, one]) {
      const next = claimOf(backend, resource, { tokens: 600 });
      expect((await backend.leases.claim(next)).kind).toBe('refused');
      expect(
        await (previous.id.startsWith(one.processId) ? one : other).leases.withdraw(previous, FREE),
      ).toBe('released');
      const token = tokenOf(await backend.leases.claim(again(backend, next)));
      expect(token).toBeGreaterThan(last);
      expect(tokenOf(await backend.leases.claim(again(backend, next)))).toBe(token);
      last = token + 599;
      previous = next;
    }
  });

  it('are new for a claim that is asked for again after its entry was lost to others', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const claim = claimOf(one, fresh());
    await one.leases.claim(claim);
    const [entry] = await fixture.admin.entries(claim.resource);
    await fixture.admin.remove(`/bedrock/locks/${encodeURIComponent(claim.resource)}/${entry!}`);
    const between = claimOf(other, claim.resource);
    const token = tokenOf(await other.leases.claim(between));
    await other.leases.withdraw(between, FREE);
    expect(tokenOf(await one.leases.claim(again(one, claim)))).toBeGreaterThan(token);
  });

  it('are greater for a claim that waited when a later one came and went', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const shelf = fresh();
    const reader = claimOf(one, shelf, { shape: READER, tokens: 1 });
    await one.leases.claim(reader);
    const writer = claimOf(other, shelf, { shape: WRITER });
    await other.leases.claim(writer);
    const elsewhere = claimOf(one, fresh());
    const between = tokenOf(await one.leases.claim(elsewhere));
    await one.leases.withdraw(reader, FREE);
    expect(tokenOf(await other.leases.claim(again(other, writer)))).toBeGreaterThan(between);
  });
});

describe('round trips', () => {
  it('renew a hundred holds by one request', async () => {
    const backend = await fixture.backend();
    const claims = Array.from({ length: 100 }, () => claimOf(backend, fresh()));
    await Promise.all(claims.map((claim) => backend.leases.claim(claim)));
    await sleep(50);
    const { commands } = backend;
    const outcomes = await backend.leases.renew(claims.map((claim) => ({ ...claim, keepMs: 0 })));
    expect(new Set(outcomes)).toEqual(new Set(['renewed']));
    expect(backend.commands - commands).toBe(1);
  });

  it('are one, a read, for a try in vain', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const held = claimOf(one, fresh());
    await one.leases.claim(held);
    // The session for leases of this length is opened once.
    await other.leases.claim(claimOf(other, fresh()));
    const { commands } = other;
    expect((await other.leases.claim(claimOf(other, held.resource, { queue: false }))).kind).toBe('refused');
    expect(other.commands - commands).toBe(1);
    expect(await fixture.admin.entries(held.resource)).toHaveLength(1);
  });
});

describe('what others put into a queue', () => {
  it('is no entry: no claim is granted beside it', async () => {
    const backend = await fixture.backend();
    const [first, next] = [claimOf(backend, fresh()), claimOf(backend, '')];
    await backend.leases.claim(first);
    const queue = `/bedrock/locks/${encodeURIComponent(first.resource)}`;
    // The number of a child that was made after 2^31 others.
    for (const name of ['lock-0000000001', `${first.id};x1of1;4000;-2147483648`]) {
      await fixture.admin.create(`${queue}/${name}`);
      await expect(backend.leases.claim({ ...next, resource: first.resource })).rejects.toBeInstanceOf(
        LockTypeMismatchError,
      );
      await fixture.admin.remove(`${queue}/${name}`);
    }
  });

  it('or take away: a queue that is removed is made again, and an entry that is removed is lost at once', async () => {
    const bedrock = await fixture.bedrock();
    const resource = fresh();
    const lease = await bedrock.mutex(resource).acquire({ leaseMs: 10_000 });
    const [entry] = await fixture.admin.entries(resource);
    const lost = new Promise<string>((resolve) => bedrock.on('lease.lost', ({ reason }) => resolve(reason)));
    await fixture.admin.remove(`/bedrock/locks/${encodeURIComponent(resource)}/${entry!}`);
    expect(await lost).toBe('taken');
    expect(lease.isHeld).toBe(false);
    await bedrock.mutex(resource).run(() => undefined);
  });
});

describe('nothing is left', () => {
  it('of a backend that closes while it holds and waits', async () => {
    const backend = await fixture.backend();
    const held = claimOf(backend, fresh());
    await backend.leases.claim(held);
    await backend.leases.claim(claimOf(backend, held.resource));
    await backend.leases.claim(claimOf(backend, fresh(), { leaseMs: 500 }));
    await backend.close();
    expect(await fixture.admin.children('/bedrock/locks')).toEqual([]);
    const sessions = await fixture.admin.children('/bedrock/sessions');
    expect(sessions.filter((name) => name.startsWith(backend.processId))).toEqual([]);
    expect(await watches()).toBe(0);
  });

  it('of a queue whose last process died, once the server has noticed', async () => {
    const { proxy, connect } = await fixture.proxy();
    const backend = await fixture.backend({ connect, operationTimeoutMs: 1_000 });
    const held = claimOf(backend, fresh(), { leaseMs: 500 });
    await backend.leases.claim(held);
    await proxy.refuse();
    proxy.dropRequests();
    proxy.cut();
    await backend.close();
    await eventually(
      'the queue is gone',
      async () => (await fixture.admin.nodesNamed(held.resource)).length === 0,
    );
  });
});
