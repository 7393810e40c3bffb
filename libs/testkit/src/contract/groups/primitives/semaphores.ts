import assert from 'node:assert/strict';
import type { Bedrock, Lease, Semaphore } from 'bedrock-lock';
import type { Timing } from '../../../liveness/liveness.js';
import { UNHURRIED } from '../../../contender/contender-job.js';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** A hand-over noticed without the sweep, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;

/** The semaphore of a context, one per process. */
async function sharing(context: ContractContext, permits: number, count: number) {
  const peers: Bedrock[] = [];
  for (let i = 0; i < count; i += 1) peers.push(await context.peer());
  const pools: Semaphore[] = peers.map((peer) => peer.semaphore(context.resource, { permits }));
  return { peers, pools };
}

export const semaphores: ContractGroup = {
  'give out as many permits as there are, over processes, and the next when one comes back': async (
    context,
  ) => {
    const { pools } = await sharing(context, 3, 2);
    const [one, other] = pools as [Semaphore, Semaphore];
    const leases = [await one.acquire(), await other.acquire(), await one.acquire()];
    assert.deepEqual([await one.tryAcquire(), await other.available()], [null, 0]);
    await assert.rejects(other.acquire({ waitMs: 60 }), { code: 'LOCK_WAIT_TIMEOUT' });
    assert.equal(await leases[0]!.release(), 'released');
    const next = await other.acquire();
    assert.deepEqual([next.isHeld, leases[0]!.isHeld, next.token], [true, false, 0]);
    for (const lease of [...leases.slice(1), next]) assert.equal(await lease.release(), 'released');
    assert.equal(await one.available(), 3);
    await context.becomesEmpty();
  },

  'give several permits to one caller, all or none': async (context) => {
    const { pools } = await sharing(context, 5, 2);
    const [one, other] = pools as [Semaphore, Semaphore];
    const three = await one.acquire({ permits: 3 });
    assert.equal(await other.tryAcquire({ permits: 3 }), null);
    assert.equal(await other.available(), 2);
    const two = await other.acquire({ permits: 2 });
    const all = one.acquire({ permits: 5 });
    await Promise.all([three.release(), two.release()]);
    assert.equal(await other.tryAcquire(), null);
    await (await all).release();
    await context.becomesEmpty();
  },

  'never have more permits in use than there are, over processes and callers of any weight': async (
    context,
  ) => {
    const cycles = context.cycles(25);
    const crowd = { permits: { of: 5, take: [1, 4] }, tasks: 4, cycles, bodyMs: [0, 3] } as const;
    const job = { ...crowd, lock: UNHURRIED };
    const { leases, losses, failures } = await context.runContenders([job, job, job]);
    assert.deepEqual({ leases, losses, failures }, { leases: 12 * cycles, losses: [], failures: {} });
    await context.becomesEmpty();
  },

  'nor where permits go from caller to caller without a trip': async (context) => {
    const job = { permits: { of: 4 }, tasks: 20, cycles: context.cycles(40) };
    const { leases } = await context.runContenders([job, job]);
    assert.equal(leases, 40 * job.cycles);
  },

  'nor when processes die, and give back what those held when their leases end, no sooner': async (
    context,
  ) => {
    const lock = { leaseMs: 600, waitMs: 5_000 };
    const job = { permits: { of: 4, take: [1, 2] }, tasks: 3, bodyMs: [1, 5], lock } as const;
    const { failures, history } = await context.runContenders([
      { ...job, forMs: 2_500 },
      { ...job, ...context.dyingAt(20) },
      { ...job, ...context.dyingAt(40) },
    ]);
    assert.deepEqual(failures, {});
    assert.equal(history.filter(({ kind }) => kind === 'ended').length, 1, 'the other two died');
    await context.becomesEmptyAfterDeath();
  },

  'keep the permits of a dead holder until its lease ends, and no longer than a second more': async (
    context,
  ) => {
    const { peers, pools } = await sharing(context, 4, 1);
    await context.warm(peers[0]!);
    // Sessions last half as long again as their leases: a longer one would end later than a second after its lease.
    const leaseMs = peers[0]!.backend.traits.lifetime === 'session' ? 1_000 : 3_000;
    const beside = await pools[0]!.acquire();
    const { history } = await context.runContenders([
      { permits: { of: 4, take: 3 }, crashAt: 1, lock: { leaseMs } },
    ]);
    const dead = history.find((event) => event.kind === 'acquired')!;
    const elapsedMs = context.sharedNow() - dead.at;
    const takeRest = () => pools[0]!.acquire({ permits: 3 });
    await context.liveness.within('the permits', leaseMs + 1_000, takeRest, { elapsedMs });
    const at = context.sharedNow();
    assert.ok(at >= dead.validUntil, `taken ${dead.validUntil - at} ms before the lease had ended`);
    assert.equal(beside.isHeld, true);
  },

  'leave to others at once what a dead holder has not taken': async (context) => {
    const { pools } = await sharing(context, 4, 1);
    const { history } = await context.runContenders([
      { permits: { of: 4, take: 3 }, crashAt: 1, lock: UNHURRIED },
    ]);
    const dead = history.find((event) => event.kind === 'acquired')!;
    assert.equal(await pools[0]!.tryAcquire({ permits: 2 }), null);
    const free = await pools[0]!.tryAcquire();
    assert.ok(context.sharedNow() < dead.validUntil, 'the dead holder still had its permits');
    assert.equal(free?.isHeld, true);
  },

  'let no process overtake one that waits for more permits than are free': async (context) => {
    const { peers, pools } = await sharing(context, 4, 3);
    const [holder, big, small] = pools as [Semaphore, Semaphore, Semaphore];
    const held = [await holder.acquire({ permits: 2 }), await holder.acquire()];
    const all = big.acquire({ permits: 4 });
    await context.waiting(peers[1]!, 1);
    assert.equal(await small.tryAcquire(), null);
    const one = small.acquire();
    await context.waiting(peers[2]!, 1);
    await held[0]!.release();
    assert.equal(await holder.available(), 3);
    await held[1]!.release();
    const served = await all;
    assert.equal(served.isHeld, true);
    await served.release();
    await (await one).release();
    await context.becomesEmpty();
  },

  'tell waiting processes at once when permits come back': async (context) => {
    const { peers, pools } = await sharing(context, 2, 3);
    const times: Timing[] = [];
    for (let i = 0; i < 7; i += 1) {
      const held = await pools[0]!.acquire({ permits: 2 });
      const waiting = [pools[1]!.acquire(), pools[2]!.acquire()];
      await Promise.all([context.waiting(peers[1]!, 1), context.waiting(peers[2]!, 1)]);
      let leases: Lease[] = [];
      times.push(
        await context.liveness.time(async () => {
          void held.release();
          leases = await Promise.all(waiting);
        }),
      );
      await Promise.all(leases.map((lease) => lease.release()));
    }
    context.liveness.assertMedian('the median hand-over between processes', context.handOverMs, times);
  },

  'give every process its turns while others never pause': async (context) => {
    const cycles = context.cycles(60);
    const job = { permits: { of: 2 }, tasks: 6, cycles, bodyMs: 1 };
    const { turns } = await context.runContenders([job, { ...job, tasks: 1 }, job], {
      turns: context.turnBound,
    });
    assert.deepEqual(turns, { p1: 6 * cycles, p2: cycles, p3: 6 * cycles });
  },

  'keep each process within the number of permits that it states itself': async (context) => {
    const [many, few] = [await context.peer(), await context.peer()];
    const [four, two] = [4, 2].map((permits, i) => [many, few][i]!.semaphore(context.resource, { permits }));
    const first = await four!.acquire();
    const second = await two!.acquire();
    assert.equal(await two!.tryAcquire(), null);
    const third = await four!.acquire({ permits: 2 });
    assert.deepEqual([await two!.available(), await four!.available()], [0, 0]);
    await third.release();
    assert.equal(await two!.tryAcquire(), null);
    await first.release();
    assert.equal((await two!.tryAcquire())?.isHeld, true);
    assert.equal(second.isHeld, true);
  },

  'renew permits while they are held, each for itself': async (context) => {
    const { pools } = await sharing(context, 3, 2);
    const { renewedLeaseMs: leaseMs } = context;
    const kept = await pools[0]!.acquire({ permits: 2, leaseMs });
    const fixed = await pools[0]!.acquire({ leaseMs, renew: false });
    await new Promise((resolve) => fixed.signal.addEventListener('abort', resolve));
    const next = await pools[1]!.acquire();
    await context.sleep(1.5 * leaseMs);
    assert.deepEqual([kept.isHeld, next.isHeld, await pools[1]!.tryAcquire()], [true, true, null]);
    assert.equal(await kept.release(), 'released');
  },

  'show who holds how many': async (context) => {
    const peer = await context.peer({ label: 'till 3' });
    const [pool] = (await sharing(context, 5, 1)).pools as [Semaphore];
    assert.deepEqual([await pool.inspect(), await pool.available()], [[], 5]);
    const lease = await peer.semaphore(context.resource, { permits: 5 }).acquire({ permits: 3 });
    await context.eventually(
      'the process is known',
      async () => (await pool.inspect())[0]?.process !== undefined,
    );
    const own = await pool.acquire();
    // Leases with the same end may come in any order.
    const views = await pool.inspect();
    const view = views.find(({ id }) => lease.id.startsWith(id));
    assert.deepEqual(new Set(views.map(({ units }) => units)), new Set([1, 3]));
    assert.equal(views.length, 2);
    assert.deepEqual(
      [view!.resource, view!.depth, view!.units, view!.mode, view!.revoked],
      [context.resource, 1, 3, 'shared', false],
    );
    assert.deepEqual([view!.process!.pid, view!.process!.label], [process.pid, 'till 3']);
    assert.ok(view!.remainingMs > 3_000 && view!.remainingMs <= 5_000);
    await Promise.all([lease.release(), own.release()]);
  },

  'may be revoked: renewals are refused, and all is free when the leases end': async (context) => {
    const [peer, operator] = [await context.peer(), await context.peer()];
    const told: string[] = [];
    peer.on('lease.lost', ({ reason }) => told.push(reason));
    const pool = peer.semaphore(context.resource, { permits: 3 });
    const leaseMs = 3_000;
    const leases = [await pool.acquire({ leaseMs }), await pool.acquire({ permits: 2, leaseMs })];
    const watched = operator.semaphore(context.resource, { permits: 3 });
    assert.equal(await watched.revoke(), true);
    assert.deepEqual(
      (await watched.inspect()).map(({ revoked }) => revoked),
      [true, true],
    );
    assert.ok(
      leases.every(({ isHeld }) => isHeld),
      'within the promise: not before their end',
    );
    const next = await watched.acquire({ permits: 3, waitMs: 10_000 });
    assert.ok(leases.every(({ validUntil }) => context.now() >= validUntil));
    await context.eventually('the losses are told', () => told.length === 2);
    assert.deepEqual(told, ['revoked', 'revoked']);
    await next.release();
    await context.becomesEmpty();
  },

  'may be freed by force: at once, and the holders hear of it': async (context) => {
    const [peer, operator] = [await context.peer(), await context.peer()];
    const told: string[] = [];
    peer.on('lease.lost', ({ reason }) => told.push(reason));
    const pool = peer.semaphore(context.resource, { permits: 3 });
    const leases = [await pool.acquire({ leaseMs: 5_000 }), await pool.acquire({ permits: 2 })];
    const freed = operator.semaphore(context.resource, { permits: 3 });
    await context.warm(operator);
    assert.equal(await freed.forceRelease(), true);
    const next = await context.within('the hand-over', PROMPT_MS, () => freed.acquire({ permits: 3 }));
    await context.eventually('the losses are told', () => told.length === 2, 1_400);
    assert.deepEqual(told, ['taken', 'taken']);
    assert.deepEqual(
      leases.map(({ isHeld }) => isHeld),
      [false, false],
    );
    assert.equal(await next.release(), 'released');
    assert.deepEqual([await freed.revoke(), await freed.forceRelease()], [false, false]);
    await context.becomesEmpty();
  },

  'may be revoked or freed for one of its holders alone': async (context) => {
    const [peer, operator] = [await context.peer(), await context.peer()];
    const pool = peer.semaphore(context.resource, { permits: 3 });
    const [one, other] = [await pool.acquire(), await pool.acquire({ permits: 2 })];
    const watched = operator.semaphore(context.resource, { permits: 3 });
    const holder = one.id.replace(/\/.*/, '');
    assert.equal(await watched.revoke({ holder }), true);
    const marked = (await watched.inspect()).map(({ id, revoked }) => [id === holder, revoked]);
    assert.deepEqual(new Set(marked.map(String)), new Set(['true,true', 'false,false']));
    assert.equal(await watched.forceRelease({ holder }), true);
    await context.eventually('the holder hears of it', () => !one.isHeld);
    assert.deepEqual([other.isHeld, await watched.revoke({ holder })], [true, false]);
    // Its permit is free, and no other is.
    const next = await watched.acquire();
    assert.equal(await watched.tryAcquire(), null);
    await Promise.all([next.release(), other.release()]);
    await context.becomesEmpty();
  },

  'leave nothing behind, also after a close in the middle of a burst': async (context) => {
    for (let i = 0; i < 3; i += 1) {
      const peer = await context.peer();
      const pool = peer.semaphore(context.resource, { permits: 4 });
      const callers = Array.from({ length: 10 }, () => pool.acquire().catch(() => undefined));
      if (i > 0) await callers[0];
      await peer.close({ graceMs: 0 });
      await Promise.all(callers);
      await context.becomesEmpty();
    }
  },
};
