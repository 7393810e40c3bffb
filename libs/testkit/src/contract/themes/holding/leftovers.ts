import assert from 'node:assert/strict';
import type { ContractTheme } from '../../context/contract-theme.js';

export const leftovers: ContractTheme = {
  'after a release: no key, no waiter, no hold': async (stage) => {
    const peer = await stage.peer();
    const lock = stage.lock(peer);
    await Promise.all(Array.from({ length: 10 }, () => lock.run(() => stage.pass(1))));
    await stage.becomesEmpty();
    const { resources, waiters, holds, pendingWithdrawals } = peer.stats();
    assert.deepEqual([resources, waiters, holds, pendingWithdrawals], [0, 0, 0, 0]);
  },

  'after contention, a refusal and a wait in vain': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lease = await stage.lock(one).acquire();
    const lock = stage.lock(other);
    assert.equal(await lock.tryAcquire(), null);
    await assert.rejects(lock.acquire({ waitMs: 50 }), { code: 'LOCK_WAIT_TIMEOUT' });
    await lease.release();
    await stage.becomesEmpty();
    await stage.eventually('the other peer is idle', () => other.stats().resources === 0);
  },

  'after a close that did not wait for the holder': async (stage) => {
    const peer = await stage.peer();
    const lease = await stage.lock(peer).acquire();
    await peer.close({ graceMs: 0 });
    assert.equal(lease.isHeld, false);
    assert.equal((lease.signal.reason as { reason: string }).reason, 'closed');
    await stage.becomesEmpty();
  },

  'after a close while claims were under way': async (stage) => {
    for (let i = 0; i < 5; i += 1) {
      const peer = await stage.peer();
      const caller = assert.rejects(stage.lock(peer).acquire(), { code: 'LOCK_CLOSED' });
      await peer.close();
      await caller;
      await stage.becomesEmpty();
    }
  },

  'after a lease that ended by itself': async (stage) => {
    const lease = await stage.lock(await stage.peer()).acquire({ leaseMs: stage.briefMs, renew: false });
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    await stage.becomesEmpty();
  },

  'after a hold-at-least that is over': async (stage) => {
    const lock = stage.lock(await stage.peer(), { holdAtLeastMs: 300 });
    await (await lock.acquire()).release();
    assert.equal(await stage.harness.isEmpty(stage.resource), false);
    await stage.becomesEmpty();
  },
};
