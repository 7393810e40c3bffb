import assert from 'node:assert/strict';
import type { Counter, CounterDriver } from 'bedrock-lock/backend';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** A wake without the sweep, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;
/** The memos of answered operations are deleted together within this time, in ms. */
const MEMOS_GONE_MS = 6_000;

/** The driver and the latch of a context. */
async function bare(context: ContractContext) {
  const backend = await context.backend();
  const counters: CounterDriver = backend.counters!;
  const counter: Counter = { kind: 'latch', resource: context.resource };
  return { backend, counters, counter };
}

export const latches: ContractGroup = {
  'let every caller pass, in every process, when the count is zero': async (context) => {
    const peers = [await context.peer(), await context.peer(), await context.peer()];
    const [mine] = peers.map((peer) => peer.countdownLatch(context.resource));
    assert.equal(await mine!.trySetCount(3), true);
    const waiting = peers.flatMap((peer) =>
      [1, 2].map(() => peer.countdownLatch(context.resource).await({ waitMs: 20_000 })),
    );
    for (const peer of peers) await context.waiting(peer, 2);
    for (const left of [2, 1]) assert.equal(await mine!.countDown(), left);
    assert.equal(await peers[1]!.countdownLatch(context.resource).getCount(), 1);
    await context.within('the wake of all', PROMPT_MS, async () => {
      assert.equal(await peers[2]!.countdownLatch(context.resource).countDown(), 0);
      await Promise.all(waiting);
    });
  },

  'block no caller before they are set, nor after they reach zero': async (context) => {
    const latch = (await context.peer()).countdownLatch(context.resource);
    assert.equal(await latch.getCount(), 0);
    await latch.await({ waitMs: 0 });
    await latch.trySetCount(1);
    await assert.rejects(latch.await({ waitMs: 0 }), { code: 'LOCK_BUSY' });
    await latch.countDown();
    await latch.await({ waitMs: 0 });
  },

  'keep their count when it is set again, and may be set anew at zero': async (context) => {
    const latch = (await context.peer()).countdownLatch(context.resource);
    assert.deepEqual([await latch.trySetCount(2), await latch.trySetCount(5)], [true, false]);
    assert.equal(await latch.getCount(), 2);
    await latch.countDown(2);
    assert.equal(await latch.trySetCount(5), true);
    assert.equal(await latch.getCount(), 5);
  },

  'never count below zero': async (context) => {
    const latch = (await context.peer()).countdownLatch(context.resource);
    assert.equal(await latch.countDown(), 0);
    assert.equal(await latch.getCount(), 0);
    await latch.trySetCount(3);
    assert.equal(await latch.countDown(7), 0);
    assert.equal(await latch.getCount(), 0);
  },

  'let every caller pass when they are deleted': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    await one.countdownLatch(context.resource).trySetCount(3);
    const waiting = other.countdownLatch(context.resource).await({ waitMs: 20_000 });
    await context.waiting(other, 1);
    assert.equal(await one.countdownLatch(context.resource).delete(), true);
    await waiting;
    assert.equal(await one.countdownLatch(context.resource).delete(), false);
  },

  'say what was missing when the time is over': async (context) => {
    const latch = (await context.peer()).countdownLatch(context.resource);
    await latch.trySetCount(3);
    const inVain = context.within('the end of the wait', 2_000, () => latch.await({ waitMs: 1_000 }));
    await assert.rejects(inVain, (error: Error) => {
      const { code, waitedMs, lack } = error as Error & { code: string; waitedMs: number; lack: string };
      assert.deepEqual([code, lack], ['LOCK_WAIT_TIMEOUT', 'count when last asked: 3']);
      assert.ok(waitedMs >= 1_000);
      return true;
    });
  },

  'leave nothing behind at zero': async (context) => {
    const latch = (await context.peer()).countdownLatch(context.resource);
    await latch.trySetCount(2);
    await latch.countDown(2);
    await latch.await();
    await context.becomesEmpty(MEMOS_GONE_MS);
  },

  'are refused on a name that a lock has': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await one.mutex(context.resource).acquire();
    const latch = other.countdownLatch(context.resource);
    const isMismatch = { code: 'LOCK_TYPE_MISMATCH', resource: context.resource };
    await assert.rejects(latch.trySetCount(1), isMismatch);
    await assert.rejects(latch.countDown(), isMismatch);
    await assert.rejects(latch.getCount(), isMismatch);
    await assert.rejects(latch.await(), isMismatch);
    await lease.release();
  },

  'count once for an operation that is repeated': async (context) => {
    const { backend, counters, counter } = await bare(context);
    const setting = context.operation(backend);
    assert.equal(await counters.create(counter, 5, setting), true);
    assert.equal(await counters.create(counter, 5, { ...setting, attempt: 2 }), true);
    const counting = context.operation(backend);
    assert.equal(await counters.add(counter, -2, counting), 3);
    assert.equal(await counters.add(counter, -1, context.operation(backend)), 2);
    // Gets the answer of the first execution, not the present state.
    assert.equal(await counters.add(counter, -2, { ...counting, attempt: 2 }), 3);
    assert.equal(await counters.read(counter), 2);
    const ending = context.operation(backend);
    assert.equal(await counters.clear(counter, ending), 2);
    await counters.create(counter, 9, context.operation(backend));
    assert.equal(await counters.clear(counter, { ...ending, attempt: 2 }), 2);
    assert.equal(await counters.read(counter), 9);
  },

  'refuse a change that arrives after its time': async (context) => {
    const { backend, counters, counter } = await bare(context);
    await counters.create(counter, 5, context.operation(backend));
    const late = () => context.operation(backend, { notAfter: context.now() - 100 });
    const isRefused = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
    await assert.rejects(counters.add(counter, -1, late()), isRefused);
    await assert.rejects(counters.clear(counter, late()), isRefused);
    assert.equal(await counters.read(counter), 5);
  },
};
