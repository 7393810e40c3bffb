import { InvalidOptionError, UnsupportedByBackendError, type Backend } from 'bedrock-lock';
import { redisCommand } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, liveness, type Timing } from 'bedrock-testkit';
import { ClusterFixture } from './fixture.js';

const fixture = new ClusterFixture();
let mine: Backend;
let other: Backend;

beforeAll(() => fixture.start({ replicas: 0 }));
beforeEach(async () => {
  mine = await fixture.backend();
  other = await fixture.backend();
});
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

describe('locks on a cluster', () => {
  it('of many slots, claimed in one tick, are each granted once and released where they are', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `order:${i}`);
    const claims = names.map((name) => claimOf(mine, name, { tokens: 2 }));
    const before = mine.commands;
    const verdicts = await Promise.all(claims.map((claim) => mine.leases.claim(claim)));
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['granted']));
    // One call for each slot, and a few for the process itself.
    expect(mine.commands - before).toBeLessThan(names.length + 10);
    const homes = await Promise.all(names.slice(0, 20).map((name) => fixture.on(name, 'HLEN', name)));
    expect(new Set(homes)).toEqual(new Set([1]));
    await expect(other.leases.claim(claimOf(other, 'order:7', { queue: false }))).resolves.toMatchObject({
      kind: 'refused',
    });
    const refs = claims.map((claim) => ({ ...claim, keepMs: 0 }));
    expect(new Set(await mine.leases.renew(refs))).toEqual(new Set(['renewed']));
    const ends = await Promise.all(claims.map((claim) => mine.leases.withdraw(claim, FREE)));
    expect(new Set(ends)).toEqual(new Set(['released']));
    expect(await fixture.keys('*order*')).toEqual([]);
  });

  it('of one hash tag travel together', async () => {
    const names = Array.from({ length: 16 }, (_, i) => `{tenant}:order:${i}`);
    await granted(mine, 'warm');
    const before = mine.commands;
    await Promise.all(names.map((name) => mine.leases.claim(claimOf(mine, name))));
    expect(mine.commands - before).toBe(1);
  });

  it('of one hash tag are granted together or not at all; others each for itself', async () => {
    const together = ['{shop}a', '{shop}b'].map((name) => claimOf(mine, name, { tokens: 1 }));
    await expect(mine.leases.claimAll!(together)).resolves.toMatchObject({ kind: 'granted' });
    const again = ['{shop}b', '{shop}c'].map((name) => claimOf(other, name));
    await expect(other.leases.claimAll!(again)).resolves.toMatchObject({ kind: 'refused' });
    await expect(fixture.on('{shop}c', 'EXISTS', '{shop}c')).resolves.toBe(0);
    const apart = ['a', 'b', 'c'].map((name) => claimOf(mine, name));
    await expect(mine.leases.claimAll!(apart)).resolves.toEqual({ kind: 'separate' });
  });

  it('keep all that is theirs in one slot, whatever their names', async () => {
    const names = ['plain', 'a{b}c', '{b}', '{b}{c}', 'größe', 'a:b:c', 'x{y}z{w}'];
    for (const name of names) {
      const claim = await granted(mine, name, { tokens: 1 });
      await expect(other.leases.claim(claimOf(other, name))).resolves.toMatchObject({ kind: 'refused' });
      const slot = await fixture.cluster.slotOf(name);
      const { server } = await fixture.cluster.masterOf(slot);
      const there = (await redisCommand(server, 'CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      expect(there.filter((key) => key.includes(name)).length).toBe(3);
      await other.leases.withdraw(claimOf(other, name), FREE);
      await mine.leases.withdraw(claim, FREE);
    }
    expect(await fixture.keys()).toEqual([]);
  });

  it.each(['a{b', 'a}b', '{}a', '{a{b}}', 'a{}b'])(
    'are refused the name %s, which has no one slot',
    async (name) => {
      const bedrock = await fixture.bedrock();
      expect(() => bedrock.mutex(name)).toThrow(InvalidOptionError);
    },
  );

  it('of another type are distinguished from unavailable ones, and fail alone', async () => {
    await fixture.on('{tag}text', 'SET', '{tag}text', 'x');
    const [good, bad] = ['{tag}good', '{tag}text'].map((name) => mine.leases.claim(claimOf(mine, name)));
    await expect(good).resolves.toMatchObject({ kind: 'granted' });
    await expect(bad).rejects.toMatchObject({ code: 'LOCK_TYPE_MISMATCH', resource: '{tag}text' });
  });

  it('pass from process to process by a message, not by the sweep', async () => {
    const [one, two] = [await fixture.bedrock(), await fixture.bedrock()];
    const timings: Timing[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      const lease = await one.mutex(`job${turn}`).acquire();
      const waiting = two.mutex(`job${turn}`).acquire();
      await eventually(
        'the other in the queue',
        async () => (await fixture.keys('bedrock_order*')).length === 1,
      );
      await eventually('its subscription', async () => {
        const heard = await fixture.on(
          `job${turn}`,
          'PUBSUB',
          'SHARDNUMSUB',
          `bedrock_lock__channel:{job${turn}}`,
        );
        return (heard as [string, number])[1] === 1;
      });
      const timing = await liveness.time(async () => {
        await lease.release();
        await waiting;
      });
      timings.push(timing);
      const next = await waiting;
      expect(next.token).toBeGreaterThan(lease.token);
      await next.release();
    }
    liveness.assertMedian('the median hand-over', 50, timings);
  });

  it('are released to a Redisson client on its shard channel, and wake on what it publishes there', async () => {
    let wakes = 0;
    await mine.leases.watch('lock', claimOf(mine, 'lock').shape, () => (wakes += 1));
    await fixture.on('lock', 'SPUBLISH', 'redisson_lock__channel:{lock}', '0');
    await eventually('the wake', () => wakes === 1);
    const held = await granted(other, 'lock');
    await other.leases.withdraw(held, FREE);
    await eventually('the wake by a release', () => wakes === 2);
  });

  it('that are freed by force are known to be lost at once', async () => {
    const [holder, operator] = [await fixture.bedrock(), await fixture.bedrock()];
    const lease = await holder.mutex('job').acquire({ leaseMs: 20_000 });
    const lost = new Promise<string>((resolve) => holder.on('lease.lost', ({ reason }) => resolve(reason)));
    await liveness.within('the loss', 500, async () => {
      await operator.mutex('job').forceRelease();
      await expect(lost).resolves.toBe('taken');
    });
    expect(lease.isHeld).toBe(false);
  });

  it('name their holder, also when its row is on another server', async () => {
    const labelled = await fixture.backend({ label: 'checkout' });
    await granted(labelled, 'lock');
    await eventually('the row', async () => {
      const [view] = await mine.leases.inspect('lock', claimOf(mine, 'lock').shape);
      return view?.process?.label === 'checkout';
    });
  });

  it('have tokens that grow over a lost counter', async () => {
    const first = await granted(mine, 'lock', { tokens: 3 });
    await mine.leases.withdraw(first, FREE);
    const [counter] = (await redisCommand(
      (await fixture.masterOf('lock')).server,
      'KEYS',
      'bedrock_token:*',
    )) as string[];
    await fixture.on('lock', 'DEL', counter!);
    expect((await granted(mine, 'lock', { tokens: 3 })).token).toBeGreaterThan(first.token + 2);
  });

  it("may take their tokens from Redisson's counter", async () => {
    const fenced = await fixture.backend({ tokens: 'perLock' });
    const { token } = await granted(fenced, 'lock', { tokens: 3 });
    await expect(fixture.on('lock', 'GET', 'redisson_lock_token:{lock}')).resolves.toBe(String(token + 2));
  });
});

describe('counting on a cluster', () => {
  const operation = (id: string) => ({ id, attempt: 1, keepMs: 1_000, notAfter: performance.now() + 1_000 });

  it('is where the name is, and wakes', async () => {
    let wakes = 0;
    const counter = { kind: 'latch', resource: 'latch' } as const;
    await other.counters!.watch(counter, () => (wakes += 1));
    await expect(mine.counters!.create(counter, 2, operation('a:1'))).resolves.toBe(true);
    await eventually('the wake', () => wakes === 1);
    await expect(other.counters!.read(counter)).resolves.toBe(2);
    await expect(mine.counters!.add(counter, -2, operation('a:2'))).resolves.toBe(0);
    await eventually('the wake at zero', () => wakes === 2);
    await expect(fixture.on('latch', 'EXISTS', 'latch')).resolves.toBe(0);
  });

  it('refuses a latch whose channel would be in another slot', async () => {
    const counter = { kind: 'latch', resource: '{tag}latch' } as const;
    await expect(mine.counters!.create(counter, 2, operation('b:1'))).rejects.toThrow(
      UnsupportedByBackendError,
    );
  });
});
