import assert from 'node:assert/strict';
import { LockBusyError, LockWaitTimeoutError, QueueFullError } from 'bedrock-lock';
import type { ContractGroup } from '../../context/contract-group.js';

export const bounds: ContractGroup = {
  'hold for those who do not wait: busy at once, with the holder, or null': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await context.lock(one).acquire();
    const lock = context.lock(other);
    assert.equal(await lock.tryAcquire(), null);
    const error: unknown = await lock.acquire({ waitMs: 0 }).catch((reason: unknown) => reason);
    assert.ok(error instanceof LockBusyError);
    assert.ok(lease.id.startsWith(error.holder!.id));
    assert.ok(error.holder!.remainingMs > 0 && error.holder!.remainingMs <= 5_000);
    await lease.release();
    await (await lock.acquire({ waitMs: 0 })).release();
    await context.becomesEmpty();
  },

  'hold for waiting: within waitMs, with the holder in the error': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    await context.warm(other);
    const lease = await context.lock(one).acquire();
    const start = context.now();
    const error: unknown = await context.within('an answer for a wait of a second', 1_100, () =>
      context
        .lock(other)
        .acquire({ waitMs: 1_000 })
        .catch((reason: unknown) => reason),
    );
    const waitedMs = context.now() - start;
    assert.ok(error instanceof LockWaitTimeoutError);
    assert.ok(lease.id.startsWith(error.holder!.id));
    assert.ok(waitedMs >= 999, `settled after ${waitedMs} ms`);
  },

  'hold for the number of waiters': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await context.lock(one).acquire();
    const lock = context.lock(other, { maxWaiters: 2 });
    const waiters = [lock.acquire(), lock.acquire()];
    const error: unknown = await lock.acquire().catch((reason: unknown) => reason);
    assert.ok(error instanceof QueueFullError);
    assert.deepEqual([error.limit, error.max], ['maxWaiters', 2]);
    await lease.release();
    for (const waiter of waiters) await (await waiter).release();
  },

  'hold for a signal: one that has aborted before sends nothing': async (context) => {
    const peer = await context.peer();
    const { commands } = peer.backend;
    const signal = AbortSignal.abort('too late');
    const refused = context.lock(peer).acquire({ signal });
    await assert.rejects(refused, { code: 'LOCK_ABORTED', cause: 'too late' });
    assert.equal(peer.backend.commands, commands);
    assert.equal(await context.harness.isEmpty(context.resource), true);
  },

  'hold for holdAtLeastMs: others stay out after an early release': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    await context.warm(other);
    const { stayMs } = context;
    const lock = context.lock(one, { holdAtLeastMs: stayMs });
    const start = context.now();
    const lease = await lock.acquire();
    assert.equal(await lease.release(), 'released');
    assert.equal(await lock.tryAcquire(), null, 'not even this process');
    const early = await context.lock(other).tryAcquire();
    const earlyAt = context.now();
    // A machine that has stood still for so long may grant it: the bound is checked below.
    await early?.release();
    await context.within('the end of holdAtLeastMs', stayMs + 1_000, () =>
      context.lock(other).run(() => undefined),
    );
    const ms = (early === null ? context.now() : earlyAt) - start;
    assert.ok(ms >= stayMs, `free after ${ms} ms`);
  },
};
