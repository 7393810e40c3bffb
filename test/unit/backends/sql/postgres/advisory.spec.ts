import { setTimeout as sleep } from 'node:timers/promises';
import { Bedrock, type Backend } from 'bedrock-lock';
import { READER, WRITER } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import { postgresSession } from 'bedrock-lock/postgres';
import { startProxy } from 'bedrock-servers';
import { claimOf, eventually, FREE, granted, liveness, ExclusionChecker } from 'bedrock-testkit';
import { failure, PostgresFixture, refused } from './fixture.js';

const fixture = new PostgresFixture();

beforeAll(() => fixture.start());
afterEach(() => fixture.clean());
afterAll(() => fixture.stop());

/** Ends the sessions of Bedrock, as an administrator would. */
async function terminate(): Promise<void> {
  await fixture.observer.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bedrock'",
  );
}

describe('session locks', () => {
  it('exclude each other over sessions, and within one', async () => {
    const [one, other] = [await fixture.session(), await fixture.session()];
    const claim = await granted(one, 'lock', { tokens: 8 });
    expect((await one.leases.claim(claim)).kind).toBe('granted');
    expect((await refused(one, 'lock')).holder?.id).toBe(claim.id);
    await refused(other, 'lock');
    expect(await other.leases.withdraw({ ...claim, id: `${other.processId}:1` }, FREE)).toBe('absent');
    expect(await one.leases.withdraw(claim, FREE)).toBe('released');
    expect(await one.leases.withdraw(claim, FREE)).toBe('absent');
    const next = await granted(other, 'lock', { tokens: 8 });
    expect(next.token).toBeGreaterThan(claim.token + 8);
  });

  it('let readers in beside each other, and a writer after the last of them', async () => {
    const [one, other] = [await fixture.session(), await fixture.session()];
    const readers = [
      await granted(one, 'rw', { shape: READER }),
      await granted(one, 'rw', { shape: READER }),
    ];
    const third = await granted(other, 'rw', { shape: READER });
    await refused(other, 'rw', { shape: WRITER });
    for (const reader of readers) await one.leases.withdraw(reader, FREE);
    await refused(one, 'rw', { shape: WRITER });
    await other.leases.withdraw(third, FREE);
    await granted(one, 'rw', { shape: WRITER });
  });

  it('end with the lease, though the session goes on', async () => {
    const [one, other] = [await fixture.session(), await fixture.session()];
    const claim = await granted(one, 'brief', { leaseMs: 800 });
    await refused(other, 'brief');
    await eventually(
      'it is free',
      async () => (await other.leases.claim(claimOf(other, 'brief'))).kind === 'granted',
    );
    expect(await one.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['lost']);
  });

  it('end with the lease also where a timer comes before its time, as those of Node may', async () => {
    const early = {
      ...systemClock,
      setTimer: (act: () => void, ms: number) => systemClock.setTimer(act, ms - 20),
    };
    const [one, other] = [await fixture.session({ clock: early }), await fixture.session()];
    const claim = await granted(one, 'early', { leaseMs: 200 });
    await eventually(
      'it is free',
      async () => (await other.leases.claim(claimOf(other, 'early'))).kind === 'granted',
    );
    expect(await one.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['lost']);
  });

  it('are lost with the session, and their holder hears of it at once', async () => {
    const [backend, other] = [
      await fixture.session(),
      await fixture.session({ connection: { application_name: 'other' } }),
    ];
    const bedrock = new Bedrock({ backend });
    const lease = await bedrock.mutex('lost').acquire();
    const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    await liveness.within('the loss', 1_000, async () => {
      await terminate();
      await lost;
    });
    expect(lease.isHeld).toBe(false);
    await granted(other, 'lost');
    expect(await lease.release()).toBe('lost');
    await bedrock.close();
  });

  it('are lost with the session also while the server cannot be reached: it has freed them', async () => {
    const proxy = await startProxy(fixture.server.port);
    try {
      const backend = await fixture.session({ url: fixture.urlAt(proxy.port) });
      const bedrock = new Bedrock({ backend, defaults: { leaseMs: 20_000 } });
      const lease = await bedrock.mutex('cut off').acquire();
      const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
      await liveness.within('the loss', 1_000, async () => {
        await proxy.refuse();
        proxy.cut();
        await lost;
      });
      expect(lease.isHeld).toBe(false);
      await granted(await fixture.session(), 'cut off');
      await bedrock.close({ graceMs: 0 });
    } finally {
      await proxy.stop();
    }
  });

  describe('of a process that stalls for longer than operationTimeoutMs', () => {
    const TIMEOUT_MS = 500;
    const STALL_MS = 600;

    /** Sends a question, and stalls while its answer and what was asked after it wait. */
    async function stalled(backend: Backend): Promise<void> {
      const answered = backend.ping();
      // It is on its way when the turn ends.
      await new Promise(setImmediate);
      for (const end = performance.now() + STALL_MS; performance.now() < end;);
      await answered;
    }

    it('stay, since the answer had come', async () => {
      const one = await fixture.session({ operationTimeoutMs: TIMEOUT_MS });
      const claim = await granted(one, 'stalled');
      await stalled(one);
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(await one.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['renewed']);
    });

    it('are not renewed by a renewal that was never sent', async () => {
      const one = await fixture.session({ operationTimeoutMs: TIMEOUT_MS });
      const claim = await granted(one, 'unsent');
      const stall = stalled(one);
      await expect(one.leases.renew([{ ...claim, keepMs: 0 }])).rejects.toMatchObject({ executed: 'no' });
      await stall;
    });

    it('are not granted again by a repeated claim that was never sent', async () => {
      const one = await fixture.session({ operationTimeoutMs: TIMEOUT_MS });
      const claim = claimOf(one, 'repeated', { notAfter: performance.now() + 5_000 });
      expect(await one.leases.claim(claim)).toMatchObject({ kind: 'granted' });
      const stall = stalled(one);
      await expect(one.leases.claim(claim)).rejects.toMatchObject({ executed: 'no' });
      await stall;
    });

    it('are released although their release was not sent at first', async () => {
      const [one, other] = [
        await fixture.session({ operationTimeoutMs: TIMEOUT_MS }),
        await fixture.session(),
      ];
      const [claim, ended] = [await granted(one, 'kept'), await granted(one, 'ended')];
      const stall = stalled(one);
      const withdrawn = [claim, ended].map((ref) => failure(one.leases.withdraw(ref, FREE)));
      await Promise.all([...withdrawn, stall]);
      await refused(other, 'kept');
      expect(await one.leases.renew([{ ...claim, keepMs: 0 }])).toEqual(['lost']);
      expect(await one.leases.withdraw(claim, FREE)).toBe('released');
      await granted(other, 'kept');
      await eventually(
        'a lock without a second withdrawal is free too',
        async () => (await other.leases.claim(claimOf(other, 'ended'))).kind === 'granted',
      );
    });
  });

  it('end with the backend, which then refuses every request', async () => {
    const [one, other] = [await fixture.session(), await fixture.session()];
    const claim = await granted(one, 'closed');
    await one.close();
    await eventually(
      'it is free',
      async () => (await other.leases.claim(claimOf(other, 'closed'))).kind === 'granted',
    );
    const calls = [
      () => one.leases.claim(claim),
      () => one.leases.renew([{ ...claim, keepMs: 0 }]),
      () => one.leases.withdraw({ ...claim, id: `${one.processId}:1` }, FREE),
      () => one.leases.watch('closed', claim.shape, () => undefined),
      () => one.leases.inspect('closed', claim.shape),
      () => one.ping(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ executed: 'no' });
  });

  describe('leave no timer', () => {
    let timers: Map<object, number>;
    let clock: typeof systemClock;
    beforeEach(() => {
      timers = new Map();
      clock = {
        ...systemClock,
        setTimer: (act: () => void, ms: number) => {
          const timer = systemClock.setTimer(() => {
            timers.delete(timer);
            act();
          }, ms);
          timers.set(timer, ms);
          return timer;
        },
        clearTimer: (timer: object) => {
          timers.delete(timer);
          systemClock.clearTimer(timer);
        },
      };
    });

    it('when their backend is closed, and are not released again and again', async () => {
      const one = await fixture.session({ clock });
      await granted(one, 'left', { leaseMs: 100 });
      await one.close();
      expect(timers.size).toBe(0);
    });

    it('for the end of a lease once all are released', async () => {
      const one = await fixture.session({ clock });
      const claim = claimOf(one, 'freed', { leaseMs: 20_000 });
      expect(await one.leases.claim(claim)).toMatchObject({ kind: 'granted' });
      expect(Math.max(...timers.values())).toBeGreaterThan(19_000);
      await one.leases.withdraw(claim, FREE);
      expect([...timers.values()].filter((ms) => ms > 19_000)).toEqual([]);
    });
  });

  it('serve a crowd of one process and of another', async () => {
    const bedrocks = [
      new Bedrock({ backend: await fixture.session() }),
      new Bedrock({ backend: await fixture.session() }),
    ];
    const checker = new ExclusionChecker();
    const run = (bedrock: Bedrock) =>
      bedrock.mutex('crowd').run(() => checker.run(() => sleep(1)), { waitMs: 15_000 });
    await Promise.all(Array.from({ length: 40 }, (_, i) => run(bedrocks[i % 2]!)));
    expect(checker.assertExclusion().leases).toBe(40);
    await Promise.all(bedrocks.map((bedrock) => bedrock.close()));
  });

  it('say who holds, refuse what they cannot do, and a frozen server ends calls in time', async () => {
    const [one, other] = [await fixture.session({ operationTimeoutMs: 1_000 }), await fixture.session()];
    await granted(one, 'shown');
    expect(await other.leases.inspect('shown', READER)).toMatchObject([
      { mode: 'exclusive', remainingMs: Infinity },
    ]);
    await expect(other.leases.revoke('shown', READER, 'now')).rejects.toMatchObject({
      code: 'LOCK_UNSUPPORTED',
    });
    expect(() => new Bedrock({ backend: other }).fairMutex('fair')).toThrow(/fair|order|fifo/);
    expect(() => postgresSession({ url: fixture.server.url, throughPooler: true } as object)).toThrow(
      /throughPooler/,
    );
    fixture.server.pause();
    await liveness.within('a failure', 1_800, () => failure(one.leases.claim(claimOf(one, 'other'))));
    fixture.server.resume();
    // The session goes with what was not answered, and its locks with it, once the server has noticed.
    await eventually(
      'the lock is free',
      async () => (await one.leases.inspect('shown', READER)).length === 0,
    );
  });
});
