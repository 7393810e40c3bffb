import assert from 'node:assert/strict';
import { LockBusyError, LockWaitTimeoutError, QueueFullError } from 'bedrock-lock';
import type { ContractTheme } from '../../context/contract-theme.js';

export const bounds: ContractTheme = {
  'hold for those who do not wait: busy at once, with the holder, or null': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lease = await stage.lock(one).acquire();
    const lock = stage.lock(other);
    assert.equal(await lock.tryAcquire(), null);
    const error: unknown = await lock.acquire({ waitMs: 0 }).catch((reason: unknown) => reason);
    assert.ok(error instanceof LockBusyError);
    assert.ok(lease.id.startsWith(error.holder!.id));
    assert.ok(error.holder!.remainingMs > 0 && error.holder!.remainingMs <= 5_000);
    await lease.release();
    await (await lock.acquire({ waitMs: 0 })).release();
    await stage.becomesEmpty();
  },

  'hold for waiting: within waitMs, with the holder in the error': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lease = await stage.lock(one).acquire();
    const start = stage.now();
    const error: unknown = await stage.within('an answer for a wait of 200 ms', 300, () =>
      stage
        .lock(other)
        .acquire({ waitMs: 200 })
        .catch((reason: unknown) => reason),
    );
    const waitedMs = stage.now() - start;
    assert.ok(error instanceof LockWaitTimeoutError);
    assert.ok(lease.id.startsWith(error.holder!.id));
    assert.ok(waitedMs >= 199, `settled after ${waitedMs} ms`);
  },

  'hold for the number of waiters': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lease = await stage.lock(one).acquire();
    const lock = stage.lock(other, { maxWaiters: 2 });
    const waiters = [lock.acquire(), lock.acquire()];
    const error: unknown = await lock.acquire().catch((reason: unknown) => reason);
    assert.ok(error instanceof QueueFullError);
    assert.deepEqual([error.limit, error.max], ['maxWaiters', 2]);
    await lease.release();
    for (const waiter of waiters) await (await waiter).release();
  },

  'hold for a signal: one that has aborted before sends nothing': async (stage) => {
    const peer = await stage.peer();
    const { commands } = peer.backend;
    const signal = AbortSignal.abort('too late');
    const refused = stage.lock(peer).acquire({ signal });
    await assert.rejects(refused, { code: 'LOCK_ABORTED', cause: 'too late' });
    assert.equal(peer.backend.commands, commands);
    assert.equal(await stage.harness.isEmpty(stage.resource), true);
  },

  'hold for holdAtLeastMs: others stay out after an early release': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lock = stage.lock(one, { holdAtLeastMs: 600 });
    const start = stage.now();
    const lease = await lock.acquire();
    assert.equal(await lease.release(), 'released');
    assert.equal(await lock.tryAcquire(), null, 'not even this process');
    assert.equal(await stage.lock(other).tryAcquire(), null);
    await stage.within('the end of holdAtLeastMs', 1_600, () => stage.lock(other).run(() => undefined));
    const ms = stage.now() - start;
    assert.ok(ms >= 600, `free after ${ms} ms`);
  },
};
