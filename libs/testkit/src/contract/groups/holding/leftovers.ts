import assert from 'node:assert/strict';
import type { ContractGroup } from '../../context/contract-group.js';

export const leftovers: ContractGroup = {
  'after a release: no key, no waiter, no hold': async (context) => {
    const peer = await context.peer();
    const lock = context.lock(peer);
    await Promise.all(Array.from({ length: 10 }, () => lock.run(() => context.sleep(1))));
    await context.becomesEmpty();
    const { resources, waiters, holds, pendingWithdrawals } = peer.stats();
    assert.deepEqual([resources, waiters, holds, pendingWithdrawals], [0, 0, 0, 0]);
  },

  'after contention, a refusal and a wait in vain': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await context.lock(one).acquire();
    const lock = context.lock(other);
    assert.equal(await lock.tryAcquire(), null);
    await assert.rejects(lock.acquire({ waitMs: 50 }), { code: 'LOCK_WAIT_TIMEOUT' });
    await lease.release();
    await context.becomesEmpty();
    await context.eventually('the other peer is idle', () => other.stats().resources === 0);
  },

  'after a close that did not wait for the holder': async (context) => {
    const peer = await context.peer();
    const lease = await context.lock(peer).acquire();
    await peer.close({ graceMs: 0 });
    assert.equal(lease.isHeld, false);
    assert.equal((lease.signal.reason as { reason: string }).reason, 'closed');
    await context.becomesEmpty();
  },

  'after a close while claims were under way': async (context) => {
    for (let i = 0; i < 5; i += 1) {
      const peer = await context.peer();
      const caller = assert.rejects(context.lock(peer).acquire(), { code: 'LOCK_CLOSED' });
      await peer.close();
      await caller;
      await context.becomesEmpty();
    }
  },

  'after a lease that ended by itself': async (context) => {
    const lease = await context
      .lock(await context.peer())
      .acquire({ leaseMs: context.briefMs, renew: false });
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    await context.becomesEmpty();
  },

  'after a hold-at-least that is over': async (context) => {
    const lock = context.lock(await context.peer(), { holdAtLeastMs: context.stayMs });
    // Otherwise the time would be that of its first connection.
    assert.equal(await context.harness.isEmpty(context.resource), true);
    await (await lock.acquire()).release();
    assert.equal(await context.harness.isEmpty(context.resource), false);
    await context.becomesEmpty(context.stayMs + 2_000);
  },
};
