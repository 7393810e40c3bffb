import { randomUUID } from 'node:crypto';
import { LockTypeMismatchError, UnsupportedByBackendError, type Backend } from 'bedrock-lock';
import { MUTEX, type Claim } from 'bedrock-lock/backend';
import { claimOf, eventually, FREE, granted, refusalOf } from 'bedrock-testkit';
import { RedisFixture } from './fixture.js';

const fixture = new RedisFixture();
let mine: Backend;
let other: Backend;

beforeAll(() => fixture.start());
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

describe('a cycle', () => {
  it('is one request for the claim and one for the withdraw, and leaves nothing', async () => {
    let claim!: Claim;
    expect(await counted(async () => (claim = await granted(mine, 'lock')))).toBe(1);
    expect(await counted(() => mine.leases.withdraw(claim, FREE))).toBe(1);
    expect(await fixture.observer.keys('*lock*')).toEqual([]);
  });

  it('works without ready(): the first call waits for its connection', async () => {
    const fresh = fixture.unready();
    const claim = await granted(fresh, 'lock');
    expect(await fresh.leases.withdraw(claim, FREE)).toBe('released');
  });

  it.each(['订单:7', 'Straße {ü}', '🔒 é', 'a\u0080b'])('serves a lock of any name: %s', async (name) => {
    const claim = await granted(mine, name);
    expect(await fixture.observer.hkeys(name)).toEqual([claim.id]);
    expect(await mine.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['renewed']);
    expect(await mine.leases.withdraw(claim, FREE)).toBe('released');
    expect(await fixture.observer.exists(name)).toBe(0);
  });

  it('keeps the lock as long as it is to be held at least', async () => {
    const claim = await granted(mine, 'lock', { leaseMs: 1_000, holdAtLeastMs: 5_000 });
    expect(await fixture.observer.pttl('lock')).toBeGreaterThan(4_500);
    expect(await mine.leases.withdraw(claim, { keepMs: 3_000, leaveQueue: true })).toBe('released');
    expect(refusalOf(await other.leases.claim(claimOf(other, 'lock'))).retryInMs).toBeGreaterThan(2_500);
  });

  it('refuses kinds of claims that Redis does not serve yet', async () => {
    for (const other of [{ units: 0 }, { capacity: 3 }] as const) {
      const shape = { ...MUTEX, ...other };
      await expect(mine.leases.claim(claimOf(mine, 'lock', { shape }))).rejects.toThrow(
        UnsupportedByBackendError,
      );
    }
  });
});

describe('batches', () => {
  it('sends the claims of one tick together, also of callers that wake one after the other', async () => {
    const requests = await counted(() =>
      Promise.all(
        Array.from({ length: 16 }, async (_, i) => {
          for (let hop = 0; hop < i; hop += 1) await Promise.resolve();
          await granted(mine, `lock:${i}`);
        }),
      ),
    );
    expect(requests).toBe(1);
  });

  it('are split where they are too much for one call', async () => {
    const claims = Array.from({ length: 100 }, (_, i) => claimOf(mine, `lock:${i}`, { tokens: 2 }));
    let verdicts: unknown[] = [];
    const requests = await counted(
      async () => (verdicts = await Promise.all(claims.map((one) => mine.leases.claim(one)))),
    );
    expect(requests).toBe(7);
    expect(new Set(verdicts.map((verdict) => (verdict as { token: number }).token)).size).toBe(100);
  });

  it('lets one bad key hurt no neighbour', async () => {
    await fixture.observer.set('text', 'no lock');
    await fixture.observer.hset('pair', { mode: 'read', 'java:1': 1 });
    const ask = (resource: string) => mine.leases.claim(claimOf(mine, resource));
    const [a, text, pair, b] = await Promise.allSettled(['a', 'text', 'pair', 'b'].map(ask));
    expect(a).toMatchObject({ value: { kind: 'granted' } });
    expect(b).toMatchObject({ value: { kind: 'granted' } });
    expect(text).toMatchObject({ reason: { code: 'LOCK_TYPE_MISMATCH', resource: 'text' } });
    expect(pair).toMatchObject({ reason: { code: 'LOCK_TYPE_MISMATCH', resource: 'pair' } });
    expect(String((pair as PromiseRejectedResult).reason)).toContain('a read-write lock');
    expect(await fixture.observer.get('text')).toBe('no lock');
  });

  it('takes a key of another type for an absent grant', async () => {
    await fixture.observer.set('text', 'no lock');
    const ref = { id: `${mine.processId}:0`, resource: 'text', shape: MUTEX };
    expect(await mine.leases.withdraw(ref, FREE)).toBe('absent');
    expect(await mine.leases.renew([{ ...ref, leaseMs: 100, keepMs: 0 }])).toEqual(['lost']);
    await expect(mine.leases.inspect('text', MUTEX)).rejects.toThrow(LockTypeMismatchError);
    await expect(mine.leases.revoke('text', MUTEX, 'now')).rejects.toThrow(LockTypeMismatchError);
    expect(await fixture.observer.get('text')).toBe('no lock');
  });

  it('executes a withdraw before a claim of the same tick', async () => {
    const first = await granted(mine, 'lock');
    const next = mine.leases.claim(claimOf(mine, 'lock'));
    const ended = mine.leases.withdraw(first, FREE);
    expect(await ended).toBe('released');
    expect((await next).kind).toBe('granted');
  });

  it('never executes a claim after its own withdraw', async () => {
    const claim = claimOf(mine, 'lock');
    const verdict = mine.leases.claim(claim);
    const ended = mine.leases.withdraw(claim, FREE);
    expect((await verdict).kind).toBe('granted');
    expect(await ended).toBe('released');
    expect(await fixture.observer.exists('lock')).toBe(0);
  });

  it('sends only the last depth, and none for a grant that ends in the same tick', async () => {
    const kept = await granted(mine, 'kept');
    const ended = await granted(mine, 'ended');
    const requests = await counted(async () => {
      mine.leases.annotate(kept, { depth: 2 });
      mine.leases.annotate(kept, { depth: 3 });
      mine.leases.annotate(ended, { depth: 2 });
      await mine.leases.withdraw(ended, FREE);
    });
    expect(requests).toBe(2);
    const [view] = await mine.leases.inspect('kept', MUTEX);
    expect(view).toMatchObject({ depth: 3 });
  });

  it('renews in order, whatever each item gets', async () => {
    const [a, gone, b] = [await granted(mine, 'a'), claimOf(mine, 'gone'), await granted(mine, 'b')];
    await mine.leases.revoke('b', MUTEX, 'atExpiry');
    const refs = [a, gone, b].map(({ id, resource, shape }) => ({
      id,
      resource,
      shape,
      leaseMs: 25_000,
      keepMs: 29_000,
    }));
    expect(await mine.leases.renew(refs)).toEqual(['renewed', 'lost', 'revoked']);
    expect(await fixture.observer.pttl('a')).toBeGreaterThan(28_000);
    expect(await mine.leases.renew([])).toEqual([]);
  });

  it('renews 300 grants in two calls', async () => {
    const claims = await Promise.all(Array.from({ length: 300 }, (_, i) => granted(mine, `lock:${i}`)));
    const refs = claims.map(({ id, resource, shape }) => ({
      id,
      resource,
      shape,
      leaseMs: 20_000,
      keepMs: 0,
    }));
    let outcomes: readonly string[] = [];
    expect(await counted(async () => (outcomes = await mine.leases.renew(refs)))).toBe(2);
    expect(new Set(outcomes)).toEqual(new Set(['renewed']));
  });
});

describe('holders', () => {
  it('are named in a refusal, with their process from the second refusal on', async () => {
    const claim = await granted(mine, 'lock', { leaseMs: 9_000 });
    const { holder, retryInMs } = refusalOf(await other.leases.claim(claimOf(other, 'lock')));
    expect(holder).toMatchObject({ id: claim.id });
    expect(retryInMs).toBeGreaterThan(8_000);
    await eventually('the process of the holder is known', async () => {
      const again = refusalOf(await other.leases.claim(claimOf(other, 'lock')));
      return again.holder?.process?.label === 'orders' && again.holder.process.pid === process.pid;
    });
  });

  it('that are foreign are named by their field, and never expire when their key does not', async () => {
    await fixture.observer.hset('lock', 'java-uuid:81', 2);
    const verdict = refusalOf(await mine.leases.claim(claimOf(mine, 'lock')));
    expect(verdict).toEqual({
      kind: 'refused',
      retryInMs: 1_000,
      holder: { id: 'java-uuid:81', remainingMs: Infinity },
    });
  });

  it('show up in inspect()', async () => {
    expect(await mine.leases.inspect('lock', MUTEX)).toEqual([]);
    const claim = await granted(mine, 'lock', { leaseMs: 9_000 });
    const [view] = await other.leases.inspect('lock', MUTEX);
    expect(view).toMatchObject({
      id: claim.id,
      resource: 'lock',
      mode: 'exclusive',
      units: 1,
      depth: 1,
      revoked: false,
      process: { pid: process.pid, label: 'orders' },
    });
    expect(view!.remainingMs).toBeGreaterThan(8_000);
  });

  it('of a read-write lock of Redisson show up in inspect()', async () => {
    const client = randomUUID();
    await fixture.observer.hset('pair', { mode: 'read', [`${client}:1`]: 1, [`${client}:2:write`]: 1 });
    const views = await mine.leases.inspect('pair', MUTEX);
    expect(views.map(({ id, mode }) => [id, mode])).toEqual([
      [`${client}:1`, 'shared'],
      [`${client}:2:write`, 'exclusive'],
    ]);
  });

  it('do not show up for a hash that is no lock', async () => {
    await fixture.observer.hset('user:7', { name: 'Ann', visits: 3, 'a:1': 1 });
    expect(await mine.leases.inspect('user:7', MUTEX)).toEqual([]);
  });

  it('survive a process row that is no JSON', async () => {
    await granted(mine, 'lock');
    for (const row of ['{', '7', '{"host":1,"pid":2}', 'null']) {
      await fixture.observer.set(`bedrock_process:${mine.processId}`, row);
      const [view] = await other.leases.inspect('lock', MUTEX);
      expect(view!.process).toBeUndefined();
    }
  });
});

describe('a grant', () => {
  it('is granted again when its claim is repeated, with a token that has grown', async () => {
    const claim = await granted(mine, 'lock', { tokens: 4 });
    const again = await mine.leases.claim(claim);
    expect(again).toMatchObject({ kind: 'granted' });
    expect((again as { token: number }).token).toBeGreaterThan(claim.token + 3);
  });

  it('ends at once by force, and its process suspects its holds', async () => {
    const suspected: (string | undefined)[] = [];
    mine.onSuspect((resource) => suspected.push(resource));
    const claim = await granted(mine, 'lock');
    expect(await other.leases.revoke('lock', MUTEX, 'now')).toBe(true);
    await eventually('the holder suspects its hold', () => suspected.includes('lock'));
    expect(await mine.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['lost']);
    expect(await other.leases.revoke('lock', MUTEX, 'now')).toBe(false);
  });
});

describe('the queue', () => {
  it('gives a freed lock to the process that came first', async () => {
    const third = await fixture.backend();
    const claim = await granted(mine, 'lock');
    refusalOf(await other.leases.claim(claimOf(other, 'lock')));
    refusalOf(await third.leases.claim(claimOf(third, 'lock')));
    await mine.leases.withdraw(claim, FREE);
    refusalOf(await third.leases.claim(claimOf(third, 'lock')));
    refusalOf(await mine.leases.claim(claimOf(mine, 'lock')));
    const turn = await granted(other, 'lock');
    await other.leases.withdraw(turn, FREE);
    await granted(third, 'lock');
  });

  it('skips a head that has been silent for a second', async () => {
    const claim = await granted(mine, 'lock');
    refusalOf(await other.leases.claim(claimOf(other, 'lock')));
    await mine.leases.withdraw(claim, FREE);
    const start = performance.now();
    const { retryInMs, holder } = refusalOf(await mine.leases.claim(claimOf(mine, 'lock')));
    expect(holder).toBeUndefined();
    expect(retryInMs).toBeLessThanOrEqual(1_001);
    await eventually('the head is dead', async () => {
      const verdict = await mine.leases.claim(claimOf(mine, 'lock'));
      return verdict.kind === 'granted';
    });
    // The server counts whole ms: when it was asked, up to one of them had passed already.
    expect(performance.now() - start).toBeGreaterThan(retryInMs - 1);
  });
});
