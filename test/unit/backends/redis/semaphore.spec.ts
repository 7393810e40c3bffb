import { Bedrock, LockTypeMismatchError, type Backend, type Semaphore } from 'bedrock-lock';
import { permits, type Claim } from 'bedrock-lock/backend';
import { claimOf, eventually, FREE, granted, refusalOf } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';
import { leastUser, RECIPE_PREFIX } from './least-rights.js';

const fixture = new RedisFixture();
let mine: Backend;
let other: Backend;

beforeAll(async () => {
  await fixture.start();
  // The server learns each script with its first use, which takes a second request.
  const first = await fixture.backend();
  const claim = await granted(first, 'first', of4());
  await first.leases.renew([{ ...claim, keepMs: 0 }]);
  await first.leases.withdraw(claim, FREE);
  await fixture.clean();
});
beforeEach(async () => {
  mine = await fixture.backend({ label: 'orders' });
  other = await fixture.backend();
});
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

/** How many requests `act` takes. */
async function counted(act: () => Promise<unknown>): Promise<number> {
  const before = mine.commands;
  await act();
  return mine.commands - before;
}

const of4 = (units = 1, terms: Partial<Claim> = {}): Partial<Claim> => ({
  shape: permits(units, 4),
  ...terms,
});

/** A semaphore of 4 permits in a process of its own. */
async function pool(backend?: Backend, name = 'pool'): Promise<Semaphore> {
  const bedrock = new Bedrock({ backend: backend ?? (await fixture.backend()) });
  return bedrock.semaphore(name, { permits: 4 });
}

describe('permits on Redis', () => {
  it('take one request to claim and one to withdraw, and leave nothing', async () => {
    let claim!: Claim;
    expect(await counted(async () => (claim = await granted(mine, 'pool', of4(3))))).toBe(1);
    expect((await fixture.observer.keys('*pool*')).sort()).toEqual([
      'bedrock_units:{pool}',
      'bedrock_units_ends:{pool}',
    ]);
    expect(await counted(() => mine.leases.withdraw(claim, FREE))).toBe(1);
    expect(await fixture.observer.keys('*pool*')).toEqual([]);
  });

  it('travel together: claims, withdrawals and renewals of one tick', async () => {
    const claims = Array.from({ length: 4 }, () => claimOf(mine, 'pool', of4()));
    expect(await counted(() => Promise.all(claims.map((one) => mine.leases.claim(one))))).toBe(1);
    const refs = claims.map((claim) => ({ ...claim, keepMs: 0 }));
    let outcomes: readonly string[] = [];
    expect(await counted(async () => (outcomes = await mine.leases.renew(refs)))).toBe(1);
    expect(outcomes).toEqual(['renewed', 'renewed', 'renewed', 'renewed']);
    expect(await counted(() => Promise.all(claims.map((one) => mine.leases.withdraw(one, FREE))))).toBe(1);
    expect(await fixture.observer.keys('*pool*')).toEqual([]);
  });

  it.each(['订单:7', 'Straße {ü}', '🔒 é', '!pool', '+pool', '=1 0 0 1000 1 pool'])(
    'are served for any name: %s',
    async (name) => {
      const claim = await granted(mine, name, of4(4));
      refusalOf(await other.leases.claim(claimOf(other, name, of4(2, { mayPush: true }))));
      const waking = new Promise((resolve) => void other.leases.watch(name, permits(2, 4), resolve));
      expect(await mine.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['renewed']);
      await other.ping();
      expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
      expect(await waking).toMatchObject({ grant: { leaseMs: 1_000, token: 0 } });
      expect((await other.leases.inspect(name, permits(1, 4))).map(({ units }) => units)).toEqual([2]);
    },
  );

  it('share nothing with a mutex, a fair mutex and a counter of the same name', async () => {
    const bedrocks = [mine, other].map((backend) => new Bedrock({ backend }));
    const [one, two] = bedrocks as [Bedrock, Bedrock];
    await one.mutex('same').acquire();
    expect(await two.semaphore('same', { permits: 4 }).tryAcquire({ permits: 4 })).not.toBeNull();
    expect(await one.mutex('same').inspect()).toHaveLength(1);
  });

  it('are a typed error where their keys hold something else', async () => {
    await fixture.observer.set('bedrock_units:{pool}', 'text');
    await fixture.observer.set('bedrock_units_ends:{times}', 'text');
    const [text, times, good] = await Promise.allSettled(
      ['pool', 'times', 'good'].map((name) => mine.leases.claim(claimOf(mine, name, of4()))),
    );
    for (const [failed, resource] of [
      [text, 'pool'],
      [times, 'times'],
    ] as const)
      expect(failed).toMatchObject({ reason: { code: 'LOCK_TYPE_MISMATCH', resource } });
    expect(good).toMatchObject({ value: { kind: 'granted' } });
    const semaphore = await pool();
    await expect(semaphore.acquire()).rejects.toThrow(LockTypeMismatchError);
    await expect(semaphore.for('x').acquire()).resolves.toBeDefined();
    await expect(mine.leases.inspect('times', permits(1, 4))).rejects.toThrow(LockTypeMismatchError);
    await expect(mine.leases.revoke('times', permits(1, 4), 'now')).rejects.toThrow(LockTypeMismatchError);
    const ref = { id: `${mine.processId}:0`, resource: 'times', shape: permits(1, 4) };
    expect(await mine.leases.renew([{ ...ref, leaseMs: 100, keepMs: 0 }])).toEqual(['lost']);
    expect(await mine.leases.withdraw(ref, FREE)).toBe('absent');
    expect(await fixture.observer.get('bedrock_units_ends:{times}')).toBe('text');
  });

  it('are claimed under a restart guard, and refused while the data may be lost', async () => {
    const options = { restartGuard: true, coldStart: 'trust', maxLeaseMs: 1_000 } as const;
    const guarded = await fixture.backend(options);
    const claim = await granted(guarded, 'pool', of4(4, { leaseMs: 1_000 }));
    await fixture.observer.flushall();
    const lost = guarded.leases.claim(claimOf(guarded, 'pool', of4(1, { leaseMs: 1_000 })));
    await expect(lost).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    expect(await guarded.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['lost']);
    await eventually('the end of the quarantine', () =>
      granted(guarded, 'pool', of4(4, { leaseMs: 1_000 })).then(
        () => true,
        () => false,
      ),
    );
  });

  it('name their holders with their process', async () => {
    await granted(mine, 'pool', of4(3, { leaseMs: 9_000 }));
    await granted(mine, 'pool', of4(1, { leaseMs: 8_000 }));
    await eventually('the process is known', async () => {
      const { holder } = refusalOf(await other.leases.claim(claimOf(other, 'pool', of4())));
      return holder?.process?.label === 'orders' && holder.remainingMs <= 8_000;
    });
    const before = other.commands;
    const views = await other.leases.inspect('pool', permits(1, 4));
    expect(other.commands - before).toBe(1);
    expect(views.map(({ units, process }) => [units, process?.label])).toEqual([
      [1, 'orders'],
      [3, 'orders'],
    ]);
  });

  it('are served with exactly the rights of the documentation', async () => {
    const url = await leastUser(fixture.observer, fixture.server.url);
    const [one, two] = [await fixture.backend({ url }), await fixture.backend({ url })];
    const name = `${RECIPE_PREFIX}pool`;
    const claim = await granted(one, name, of4(4));
    refusalOf(await two.leases.claim(claimOf(two, name, of4(2, { mayPush: true }))));
    expect(await one.leases.renew([{ ...claim, leaseMs: 20_000, keepMs: 0 }])).toEqual(['renewed']);
    expect(await one.leases.withdraw(claim, { keepMs: 5_000, leaveQueue: true })).toBe('released');
    expect(await two.leases.revoke(name, permits(1, 4), 'atExpiry')).toBe(true);
    expect(await one.leases.withdraw(claim, FREE)).toBe('released');
    expect(await two.leases.inspect(name, permits(1, 4))).toHaveLength(1);
    expect(await two.leases.revoke(name, permits(1, 4), 'now')).toBe(true);
  });
});

describe('a semaphore on Redis', () => {
  it('grants to waiting processes with the release, so that none asks again', async () => {
    const [first, second] = [await pool(mine), await pool(other)];
    const held = await first.acquire({ permits: 4 });
    const waiting = second.acquire({ permits: 3 });
    await eventually('it is in the queue', () => fixture.observer.exists('bedrock_units_order:{pool}'));
    // It asks twice: after the refusal it has listened, and asked whether it missed something.
    await eventually('it sleeps', async () => (await other.ping()) >= 0 && other.commands >= 4);
    const asked = other.commands;
    await held.release();
    const lease = await waiting;
    expect(other.commands).toBe(asked);
    expect(lease.isHeld).toBe(true);
    expect(await fixture.observer.hget('bedrock_units:{pool}', 'held')).toBe('3');
  });

  it('needs no round trip for a permit that goes from caller to caller of a process', async () => {
    const semaphore = await pool(mine);
    await semaphore.run(() => undefined);
    const requests = await counted(() =>
      Promise.all(Array.from({ length: 200 }, () => semaphore.run(() => undefined))),
    );
    expect(requests).toBeLessThanOrEqual(40);
  });

  it('takes two calls for a burst that fills it', async () => {
    const semaphore = await pool(mine);
    await mine.ready();
    const requests = await counted(() => Promise.all(Array.from({ length: 4 }, () => semaphore.acquire())));
    expect(requests).toBe(2);
  });

  it('goes on after its connections were cut, with what it holds', async () => {
    const [first, second] = [await pool(mine), await pool(other)];
    const held = await Promise.all([first.acquire({ permits: 2 }), first.acquire()]);
    const waiting = second.acquire({ permits: 2 });
    await eventually('it is in the queue', () => fixture.observer.exists('bedrock_units_order:{pool}'));
    await fixture.observer.call('client', 'kill', 'type', 'pubsub');
    await fixture.observer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await held[0].release();
    expect((await waiting).isHeld).toBe(true);
    expect(held[1].isHeld).toBe(true);
    expect(await held[1].release()).toBe('released');
  });
});
