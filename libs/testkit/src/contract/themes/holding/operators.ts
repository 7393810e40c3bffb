import assert from 'node:assert/strict';
import type { ContractTheme } from '../../context/contract-theme.js';

/** A hand-over that needed no sweep to be noticed, with slack for a busy machine. */
const PROMPT_MS = 500;

export const operators: ContractTheme = {
  'see who holds a lock': async (stage) => {
    const [peer, other] = [await stage.peer({ label: 'till 3' }), await stage.peer()];
    const lock = stage.lock(other);
    assert.deepEqual(await lock.inspect(), []);
    const lease = await stage.lock(peer).acquire();
    await stage.eventually(
      'the process is known',
      async () => (await lock.inspect())[0]?.process !== undefined,
    );
    const [view, ...more] = await lock.inspect();
    assert.deepEqual(more, []);
    assert.ok(lease.id.startsWith(view!.id));
    assert.equal(view!.resource, stage.resource);
    assert.deepEqual([view!.depth, view!.units, view!.mode, view!.revoked], [1, 1, 'exclusive', false]);
    assert.deepEqual([view!.process!.pid, view!.process!.label], [process.pid, 'till 3']);
    assert.ok(view!.remainingMs > 3_000 && view!.remainingMs <= 5_000);
    await lease.release();
    assert.deepEqual(await lock.inspect(), []);
  },

  'revoke a lock: its renewals are refused, and it is free when the lease ends': async (stage) => {
    const [peer, operator] = [await stage.peer(), await stage.peer()];
    const told: string[] = [];
    peer.on('lease.revoked', () => told.push('revoked'));
    peer.on('lease.lost', ({ reason }) => told.push(`lost: ${reason}`));
    const lease = await stage.lock(peer).acquire({ leaseMs: 1.5 * stage.leaseMs });
    const lock = stage.lock(operator);
    assert.equal(await lock.revoke(), true);
    assert.equal(lease.isHeld, true, 'within the promise: not before its end');
    assert.equal((await lock.inspect())[0]?.revoked, true);
    const next = await lock.acquire({ waitMs: 10_000 });
    assert.equal(lease.isHeld, false);
    assert.ok(stage.now() >= lease.validUntil);
    await stage.eventually('the loss is told', () => told.length === 2);
    assert.deepEqual(told, ['revoked', 'lost: revoked']);
    await next.release();
    await stage.becomesEmpty();
  },

  'free a lock by force: at once, and its holder hears of it': async (stage) => {
    const [peer, operator] = [await stage.peer(), await stage.peer()];
    const lost = new Promise<string>((resolve) => {
      peer.on('lease.lost', ({ reason }) => resolve(reason));
    });
    const lease = await stage.lock(peer).acquire({ leaseMs: 20_000 });
    const lock = stage.lock(operator);
    const next = await stage.within('the hand-over', PROMPT_MS, async () => {
      assert.equal(await lock.forceRelease(), true);
      const granted = await lock.acquire();
      assert.equal(await lost, 'taken');
      return granted;
    });
    assert.equal(lease.isHeld, false);
    assert.equal(await lease.release(), 'lost');
    assert.equal(await next.release(), 'released');
    await stage.becomesEmpty();
  },

  'learn that there was nothing to revoke or free': async (stage) => {
    const lock = stage.lock(await stage.peer());
    assert.deepEqual([await lock.revoke(), await lock.forceRelease()], [false, false]);
    assert.equal(await stage.harness.isEmpty(stage.resource), true);
  },
};
