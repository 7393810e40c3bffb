import assert from 'node:assert/strict';
import type { ContractGroup } from '../../context/contract-group.js';

/** A hand-over noticed without the sweep, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;

export const operators: ContractGroup = {
  'see who holds a lock': async (context) => {
    const [peer, other] = [await context.peer({ label: 'till 3' }), await context.peer()];
    const lock = context.lock(other);
    assert.deepEqual(await lock.inspect(), []);
    const lease = await context.lock(peer).acquire();
    await context.eventually(
      'the process is known',
      async () => (await lock.inspect())[0]?.process !== undefined,
    );
    const [view, ...more] = await lock.inspect();
    assert.deepEqual(more, []);
    assert.ok(lease.id.startsWith(view!.id));
    assert.equal(view!.resource, context.resource);
    assert.deepEqual([view!.depth, view!.units, view!.mode, view!.revoked], [1, 1, 'exclusive', false]);
    assert.deepEqual([view!.process!.pid, view!.process!.label], [process.pid, 'till 3']);
    assert.ok(view!.remainingMs > 3_000 && view!.remainingMs <= 5_000);
    await lease.release();
    assert.deepEqual(await lock.inspect(), []);
  },

  'revoke a lock: its renewals are refused, and it is free when the lease ends': async (context) => {
    const [peer, operator] = [await context.peer(), await context.peer()];
    const told: string[] = [];
    peer.on('lease.revoked', () => told.push('revoked'));
    peer.on('lease.lost', ({ reason }) => told.push(`lost: ${reason}`));
    const lease = await context.lock(peer).acquire({ leaseMs: 3_000 });
    const lock = context.lock(operator);
    assert.equal(await lock.revoke(), true);
    assert.equal(lease.isHeld, true, 'within the promise: not before its end');
    assert.equal((await lock.inspect())[0]?.revoked, true);
    const next = await lock.acquire({ waitMs: 10_000 });
    assert.equal(lease.isHeld, false);
    assert.ok(context.now() >= lease.validUntil);
    await context.eventually('the loss is reported', () => told.length === 2);
    assert.deepEqual(told, ['revoked', 'lost: revoked']);
    await next.release();
    await context.becomesEmpty();
  },

  'free a lock by force: at once, and its holder hears of it': async (context) => {
    const [peer, operator] = [await context.peer(), await context.peer()];
    const lost = new Promise<string>((resolve) => {
      peer.on('lease.lost', ({ reason }) => resolve(reason));
    });
    const lease = await context.lock(peer).acquire({ leaseMs: 20_000 });
    const lock = context.lock(operator);
    const next = await context.within('the hand-over', PROMPT_MS, async () => {
      assert.equal(await lock.forceRelease(), true);
      const granted = await lock.acquire();
      assert.equal(await lost, 'taken');
      return granted;
    });
    assert.equal(lease.isHeld, false);
    assert.equal(await lease.release(), 'lost');
    assert.equal(await next.release(), 'released');
    await context.becomesEmpty();
  },

  'revoke or free a lock only for the holder that they name': async (context) => {
    const [peer, other, operator] = [await context.peer(), await context.peer(), await context.peer()];
    const lock = context.lock(operator);
    const earlier = await context.lock(other).acquire();
    const [seen] = await lock.inspect();
    await earlier.release();
    const lease = await context.lock(peer).acquire({ leaseMs: 20_000 });
    // It changed hands after the operator had looked.
    const late = { holder: seen!.id };
    assert.deepEqual([await lock.revoke(late), await lock.forceRelease(late)], [false, false]);
    const [view] = await lock.inspect();
    assert.deepEqual([lease.isHeld, view!.revoked], [true, false]);
    assert.equal(await lock.revoke({ holder: view!.id }), true);
    assert.equal((await lock.inspect())[0]?.revoked, true);
    assert.equal(await lock.forceRelease({ holder: view!.id }), true);
    assert.deepEqual(await lock.inspect(), []);
    await context.eventually('the holder hears of it', () => !lease.isHeld);
    await context.becomesEmpty();
  },

  'learn that there was nothing to revoke or free': async (context) => {
    const lock = context.lock(await context.peer());
    assert.deepEqual([await lock.revoke(), await lock.forceRelease()], [false, false]);
    assert.equal(await context.harness.isEmpty(context.resource), true);
  },
};
