import type { BackendUnavailableError } from 'bedrock-lock';
import type { Claim } from 'bedrock-lock/backend';
import { eventually, FREE, liveness } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { again, claimOf, fresh, tokenOf, ZooKeeperFixture } from './fixture.js';
import { unlessUnavailable } from '../../../../support/unless-unavailable.js';

const fixture = new ZooKeeperFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

describe('a session that ends while a lock is held', () => {
  it('ends the hold before another caller is granted the lock, and the next session serves', async () => {
    const { proxy, connect } = await fixture.proxy();
    const [one, other] = [
      await fixture.bedrock({ connect, operationTimeoutMs: 200 }),
      await fixture.bedrock(),
    ];
    const resource = fresh();
    const lost = new Promise<string>((resolve) => one.on('lease.lost', ({ reason }) => resolve(reason)));
    const lease = await one.mutex(resource).acquire({ leaseMs: 500 });
    proxy.dropRequests();
    proxy.dropReplies();
    const next = await other.mutex(resource).acquire({ waitMs: 5_000 });
    expect(lease.isHeld).toBe(false);
    expect(performance.now()).toBeGreaterThanOrEqual(lease.validUntil);
    expect(next.token).toBeGreaterThan(lease.token);
    expect(await lost).toBe('expired');
    expect(await lease.release()).not.toBe('released');
    proxy.dropRequests(false);
    proxy.dropReplies(false);
    proxy.cut();
    await next.release();
    await one.mutex(resource).run(() => undefined, { waitMs: 5_000, leaseMs: 500 });
  });

  it('is reported: its holds are lost, and its waiting claims are asked for anew', async () => {
    const { proxy, connect } = await fixture.proxy();
    const backend = await fixture.backend({ connect, operationTimeoutMs: 1_000 });
    const suspects: (string | undefined)[] = [];
    backend.onSuspect((resource) => suspects.push(resource));
    const [held, elsewhere] = [claimOf(backend, fresh(), { leaseMs: 500 }), claimOf(backend, fresh())];
    await backend.leases.claim(held);
    await backend.leases.claim(elsewhere);
    await proxy.refuse();
    proxy.cut();
    // The session of the short lease ends, that of the long one does not.
    await eventually(
      'the entry is gone',
      async () => (await fixture.admin.entries(held.resource)).length === 0,
    );
    await proxy.accept();
    await eventually('it is reported', () => suspects.includes(undefined));
    await eventually(
      'the long lease is renewed',
      unlessUnavailable(async () => {
        const outcomes = await backend.leases.renew(
          [held, elsewhere].map((claim) => ({ ...claim, keepMs: 0 })),
        );
        expect(outcomes[0]).toBe('lost');
        expect(outcomes[1]).not.toBe('lost');
        return outcomes[1] === 'renewed';
      }),
    );
    await eventually(
      'it is known to be over',
      unlessUnavailable(async () => {
        expect(await backend.leases.withdraw(held, FREE)).toBe('absent');
        return true;
      }),
    );
  });
});

describe('a connection that breaks', () => {
  it('is no loss: the session goes on, and so does the hold', async () => {
    const { proxy, connect } = await fixture.proxy();
    const [one, other] = [await fixture.bedrock({ connect }), await fixture.bedrock()];
    const resource = fresh();
    const lost: unknown[] = [];
    one.on('lease.lost', (event) => lost.push(event));
    const lease = await one.mutex(resource).acquire({ leaseMs: 4_000 });
    const [entry] = await fixture.admin.entries(resource);
    for (let i = 0; i < 5; i += 1) {
      proxy.cut();
      await sleep(100);
      expect(lease.isHeld).toBe(true);
      expect(await other.mutex(resource).tryAcquire()).toBeNull();
    }
    expect(await fixture.admin.entries(resource)).toEqual([entry]);
    await eventually(
      'it is in contact',
      unlessUnavailable(async () => (await one.backend.ping()) > 0),
    );
    expect(await lease.release()).toBe('released');
    expect(lost).toEqual([]);
  });

  it('makes every verb unavailable at once, and nothing is sent later', async () => {
    const { proxy, connect } = await fixture.proxy();
    const backend = await fixture.backend({ connect });
    await backend.leases.claim(claimOf(backend, fresh()));
    await proxy.refuse();
    proxy.cut();
    const claims: Claim[] = [];
    await eventually(
      'it is noticed',
      unlessUnavailable(async () => {
        const claim = claimOf(backend, fresh());
        claims.push(claim);
        const error: unknown = await liveness.within('an answer', 1_200, () =>
          backend.leases.claim(claim).catch((reason: unknown) => reason),
        );
        return (error as BackendUnavailableError).executed === 'no';
      }),
    );
    await proxy.accept();
    await eventually(
      'it serves again',
      unlessUnavailable(async () => (await backend.ping()) > 0),
    );
    await sleep(300);
    for (const { resource } of claims) expect(await fixture.admin.entries(resource)).toEqual([]);
  });

  it('wakes the waiters, and their watches are set again', async () => {
    const { proxy, connect } = await fixture.proxy();
    const [one, other] = [await fixture.bedrock({ connect }), await fixture.bedrock()];
    const resource = fresh();
    const held = await other.mutex(resource).acquire();
    const waiting = one.mutex(resource).acquire({ waitMs: 10_000 });
    await eventually('it waits', async () => (await fixture.admin.entries(resource)).length === 2);
    proxy.cut();
    await eventually(
      'it is in contact',
      unlessUnavailable(async () => (await one.backend.ping()) > 0),
    );
    await held.release();
    await liveness.within('a hand-over', 1_500, async () => (await waiting).release());
  });
});

describe('a server', () => {
  it('that is frozen for two leases ends the holds by the clock, keeps no caller waiting, and serves again', async () => {
    const bedrock = await fixture.bedrock({ operationTimeoutMs: 300 });
    const resource = fresh();
    const lease = await bedrock.mutex(resource).acquire({ leaseMs: 600 });
    fixture.server.pause();
    const start = performance.now();
    await liveness.within('an answer', 1_000, () =>
      expect(bedrock.mutex(fresh()).acquire({ waitMs: 400 })).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
      }),
    );
    await sleep(1_200 - (performance.now() - start));
    expect(lease.isHeld).toBe(false);
    fixture.server.resume();
    const next = await bedrock.mutex(resource).acquire({ waitMs: 10_000 });
    expect(next.token).toBeGreaterThan(lease.token);
    await next.release();
  });

  it('that is killed and comes back with its data goes on where it was', async () => {
    const [one, other] = [await fixture.backend(), await fixture.backend()];
    const claim = claimOf(one, fresh(), { leaseMs: 16_000 });
    const token = tokenOf(await one.leases.claim(claim));
    fixture.server.kill('SIGKILL');
    await fixture.server.restart();
    await eventually(
      'the hold is renewed',
      unlessUnavailable(async () => {
        const [outcome] = await one.leases.renew([{ ...claim, keepMs: 0 }]);
        expect(outcome).not.toBe('lost');
        return outcome === 'renewed';
      }),
      { withinMs: 10_000 },
    );
    const next = claimOf(other, claim.resource, { leaseMs: 16_000 });
    await eventually(
      'the other asks again',
      unlessUnavailable(async () => (await other.leases.claim(again(other, next))).kind === 'refused'),
    );
    expect(await one.leases.withdraw(claim, FREE)).toBe('released');
    await eventually(
      'it is granted',
      unlessUnavailable(async () => {
        const verdict = await other.leases.claim(again(other, next));
        if (verdict.kind === 'granted') expect(verdict.token).toBeGreaterThan(token);
        return verdict.kind === 'granted';
      }),
    );
  });
});
