import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInFlow, type Bedrock, type Lease, type ReadWriteLock } from 'bedrock-lock';
import type { Timing } from '../../../liveness/liveness.js';
import { UNHURRIED } from '../../../contender/contender-job.js';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** A hand-over noticed without the sweep, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;

/** The read-write lock of a context, one per process. */
async function shelves(context: ContractContext, count: number) {
  const peers: Bedrock[] = [];
  for (let i = 0; i < count; i += 1) peers.push(await context.peer());
  const locks: ReadWriteLock[] = peers.map((peer) => peer.readWriteLock(context.resource));
  return { peers, locks };
}

export const readWriteLocks: ContractGroup = {
  'let readers share the lock across processes, and a writer hold it alone': async (context) => {
    const { locks } = await shelves(context, 3);
    const [one, two, three] = locks as [ReadWriteLock, ReadWriteLock, ReadWriteLock];
    const readers = [await one.read.acquire(), await one.read.acquire(), await two.read.acquire()];
    assert.ok(readers.every(({ isHeld, token }) => isHeld && token === 0));
    for (const { write } of locks) assert.equal(await write.tryAcquire(), null);
    for (const lease of readers) assert.equal(await lease.release(), 'released');
    const writer = await three.write.acquire();
    for (const { read, write } of locks)
      assert.deepEqual([await read.tryAcquire(), await write.tryAcquire()], [null, null]);
    assert.equal(await writer.release(), 'released');
    await context.becomesEmpty();
  },

  'never let a writer share the lock, in any order of arrival, and lose no update': async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'bedrock-contract-'));
    const counterFile = join(folder, 'counter');
    writeFileSync(counterFile, '0');
    try {
      const cycles = context.cycles(40);
      const crowd = { readWrite: { writes: 0.3 }, tasks: 4, cycles, bodyMs: [0, 2], counterFile } as const;
      const job = { ...crowd, lock: UNHURRIED };
      const { leases, losses, failures, history } = await context.runContenders([job, job, job, job]);
      assert.deepEqual({ leases, losses, failures }, { leases: 16 * cycles, losses: [], failures: {} });
      const writes = history.filter((event) => event.kind === 'acquired' && event.token > 0).length;
      assert.equal(readFileSync(counterFile, 'utf8'), String(writes));
    } finally {
      rmSync(folder, { recursive: true });
    }
    await context.becomesEmpty();
  },

  'nor when processes die, whether they read or write': async (context) => {
    // A waiter may be behind all three of the dead: each keeps a lease of up to a second, and a second more.
    const lock = { leaseMs: 600, waitMs: 6_000 };
    const job = { readWrite: { writes: 0.2 }, tasks: 4, bodyMs: [0, 5], sampleMs: 1, lock } as const;
    const { failures, history } = await context.runContenders([
      { ...job, forMs: 3_000 },
      { ...job, ...context.dyingAt(50) },
      { ...job, ...context.dyingAt(20), readWrite: { writes: 1 }, tasks: 1 },
      { ...job, ...context.dyingAt(100), readWrite: { writes: 0 } },
    ]);
    assert.deepEqual(failures, {});
    assert.equal(history.filter(({ kind }) => kind === 'ended').length, 1, 'the other three died');
    await context.becomesEmptyAfterDeath();
  },

  'keep those who come later behind a writer that waits, and let them in after it': async (context) => {
    const { peers, locks } = await shelves(context, 4);
    const [reading, writing, ...late] = locks as [ReadWriteLock, ReadWriteLock, ...ReadWriteLock[]];
    const first = await reading.read.acquire();
    const writer = writing.write.acquire();
    await context.waiting(peers[1]!, 1);
    assert.equal(await late[0]!.read.tryAcquire(), null);
    let isWritten = false;
    const readers = late.map(({ read }) => read.run(() => assert.ok(isWritten)));
    await Promise.all(peers.slice(2).map((peer) => context.waiting(peer, 1)));
    await first.release();
    const lease = await writer;
    isWritten = true;
    await lease.release();
    await Promise.all(readers);
    await context.becomesEmpty();
  },

  'let no writer starve beside processes that never stop reading': async (context) => {
    const readers = { readWrite: { writes: 0 }, tasks: 6, forMs: 2_000, bodyMs: [1, 6] } as const;
    const cycles = context.cycles(20);
    const writers = { label: 'writers', readWrite: { writes: 1 }, tasks: 2, cycles, bodyMs: 1 };
    const { turns } = await context.runContenders([readers, readers, writers], { turns: context.turnBound });
    assert.equal(turns.writers, 2 * cycles);
  },

  'tell waiting processes at once: all readers when a writer leaves, the writer when the last reader does':
    async (context) => {
      const { peers, locks } = await shelves(context, 4);
      const times: Timing[] = [];
      for (let i = 0; i < 7; i += 1) {
        const writer = await locks[0]!.write.acquire();
        const waiting = locks.slice(1).map(({ read }) => read.acquire());
        await Promise.all(peers.slice(1).map((peer) => context.waiting(peer, 1)));
        let readers: Lease[] = [];
        times.push(
          await context.liveness.time(async () => {
            void writer.release();
            readers = await Promise.all(waiting);
          }),
        );
        const next = locks[0]!.write.acquire();
        await context.waiting(peers[0]!, 1);
        for (const reader of readers.slice(1)) await reader.release();
        times.push(
          await context.liveness.time(async () => {
            void readers[0]!.release();
            await (await next).release();
          }),
        );
      }
      context.liveness.assertMedian('the median hand-over between processes', context.handOverMs, times);
    },

  'let the readers behind go on at once when a waiting writer goes away': async (context) => {
    const { peers, locks } = await shelves(context, 3);
    const first = await locks[0]!.read.acquire();
    const controller = new AbortController();
    const gone = assert.rejects(locks[1]!.write.acquire({ signal: controller.signal }), {
      code: 'LOCK_ABORTED',
    });
    await context.waiting(peers[1]!, 1);
    const readers = [locks[1]!.read.acquire(), locks[2]!.read.acquire()];
    await Promise.all([context.waiting(peers[1]!, 2), context.waiting(peers[2]!, 1)]);
    await context.within('the wait of the readers', PROMPT_MS, () => {
      controller.abort();
      return Promise.all([gone, ...readers]);
    });
    assert.equal(first.isHeld, true);
  },

  'keep a writer out until the lease of a dead reader has ended, and no longer than a second more': async (
    context,
  ) => {
    const leaseMs = 1_000;
    const { peers, locks } = await shelves(context, 2);
    await Promise.all(peers.map((peer) => context.warm(peer)));
    const { history } = await context.runContenders([
      { readWrite: { writes: 0 }, crashAt: 1, lock: { leaseMs } },
    ]);
    const dead = history.find((event) => event.kind === 'acquired')!;
    const elapsedMs = context.sharedNow() - dead.at;
    const readAndWrite = async (): Promise<void> => {
      const beside = await locks[0]!.read.acquire();
      const writer = locks[1]!.write.acquire();
      await beside.release();
      await writer;
    };
    await context.liveness.within('the lock', leaseMs + 1_000, readAndWrite, { elapsedMs });
    const at = context.sharedNow();
    assert.ok(at >= dead.validUntil, `taken ${dead.validUntil - at} ms before the lease had ended`);
  },

  'free the lock when its last living reader leaves, though another one died before': async (context) => {
    const { peers, locks } = await shelves(context, 2);
    const alive = await locks[0]!.read.acquire();
    const lock = { leaseMs: 500 };
    await context.runContenders([{ readWrite: { writes: 0 }, crashAt: 1, lock }]);
    // A session lasts at least one second, and the server may take half a second more to end it.
    await context.sleep(peers[0]!.backend.traits.lifetime === 'session' ? 2_000 : 700);
    const writer = locks[1]!.write.acquire();
    await context.waiting(peers[1]!, 1);
    await context.within('the hand-over to the writer', PROMPT_MS, async () => {
      await alive.release();
      await writer;
    });
  },

  'go on from writing to reading with no other holder in between': async (context) => {
    const { peers, locks } = await shelves(context, 3);
    const [here, reading, writing] = locks as [ReadWriteLock, ReadWriteLock, ReadWriteLock];
    const lease = await here.write.acquire();
    const reader = reading.read.acquire();
    await context.waiting(peers[1]!, 1);
    let isRead = false;
    const writer = writing.write.run(() => assert.ok(isRead, 'written during a read'));
    await context.waiting(peers[2]!, 1);
    await lease.downgrade();
    const other = await reader;
    assert.deepEqual([lease.isHeld, lease.isExclusive, other.isHeld], [true, false, true]);
    await other.release();
    isRead = true;
    assert.equal(await lease.release(), 'released');
    await writer;
    await context.becomesEmpty();
  },

  'do so in a flow too, where unlock() of the writing comes first': async (context) => {
    const { locks } = await shelves(context, 2);
    const { read, write } = locks[0]!;
    await runInFlow(async () => {
      await write.lock();
      await read.lock();
      await write.unlock();
      assert.equal(await locks[1]!.write.tryAcquire(), null);
      assert.equal(await (await locks[1]!.read.tryAcquire())?.release(), 'released');
      await read.unlock();
    });
    await context.becomesEmpty();
  },

  'renew readers and writers for several leases, each for itself': async (context) => {
    const { locks } = await shelves(context, 2);
    const { renewedLeaseMs: leaseMs } = context;
    const renewed = [await locks[0]!.read.acquire({ leaseMs }), await locks[1]!.read.acquire({ leaseMs })];
    const fixed = await locks[1]!.read.acquire({ leaseMs: 0.75 * leaseMs, renew: false });
    await context.sleep(1.5 * leaseMs);
    assert.deepEqual(
      [...renewed, fixed].map(({ isHeld }) => isHeld),
      [true, true, false],
    );
    for (const lease of renewed) assert.equal(await lease.release(), 'released');
    const writer = await locks[0]!.write.acquire({ leaseMs });
    await context.sleep(1.5 * leaseMs);
    assert.deepEqual([writer.isHeld, await locks[1]!.read.tryAcquire()], [true, null]);
  },

  'show who reads and who writes': async (context) => {
    const { locks } = await shelves(context, 2);
    const { read, write } = locks[0]!;
    const readers = [await read.acquire(), await locks[1]!.read.acquire()];
    const views = await write.inspect();
    assert.deepEqual(
      views.map(({ mode, revoked }) => [mode, revoked]),
      [
        ['shared', false],
        ['shared', false],
      ],
    );
    assert.deepEqual(
      new Set(views.map(({ id }) => id)),
      new Set(readers.map(({ id }) => id.replace(/\/.*/, ''))),
    );
    for (const lease of readers) await lease.release();
    await write.run(async () =>
      assert.deepEqual(
        (await read.inspect()).map(({ mode }) => mode),
        ['exclusive'],
      ),
    );
    assert.deepEqual(await read.inspect(), []);
  },

  'may be revoked or freed for one of its readers alone': async (context) => {
    const { locks } = await shelves(context, 2);
    // No renewal comes in time to tell of it.
    const leaseMs = 20_000;
    const [one, other] = [await locks[0]!.read.acquire({ leaseMs }), await locks[1]!.read.acquire()];
    const { write } = locks[1]!;
    const holder = one.id.replace(/\/.*/, '');
    assert.equal(await write.revoke({ holder }), true);
    const marked = (await write.inspect()).map(({ id, revoked }) => [id === holder, revoked]);
    assert.deepEqual(new Set(marked.map(String)), new Set(['true,true', 'false,false']));
    assert.equal(await write.forceRelease({ holder }), true);
    await context.eventually('the reader hears of it', () => !one.isHeld);
    assert.deepEqual([other.isHeld, await write.revoke({ holder })], [true, false]);
    assert.equal((await write.inspect()).length, 1);
    await other.release();
    await context.becomesEmpty();
  },

  'refuse renewals to those who hold it when it is revoked': async (context) => {
    const { locks } = await shelves(context, 2);
    const held = await locks[0]!.read.acquire({ leaseMs: 3_000 });
    assert.equal(await locks[1]!.write.revoke(), true);
    const writer = await locks[1]!.write.acquire();
    assert.equal(held.isHeld, false);
    assert.equal(await locks[0]!.read.forceRelease(), true);
    await context.eventually('the writer hears of it', () => !writer.isHeld);
    await context.becomesEmpty();
  },
};
