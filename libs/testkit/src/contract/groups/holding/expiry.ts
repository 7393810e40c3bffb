import assert from 'node:assert/strict';
import type { Clock, Lease } from 'bedrock-lock';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** Bound of docs/safety/README.md, in ms; the measured lateness of the event loop is added. */
const LOSS_MS = 50;

const fixed = (context: ContractContext) => ({ leaseMs: context.briefMs, renew: false });

/** Resolves with the lateness of a timer set for the end of the lease. */
function latenessAt(clock: Clock, lease: Lease): Promise<number> {
  return new Promise((resolve) => {
    clock.setTimer(() => resolve(clock.now() - lease.validUntil), lease.validUntil - clock.now());
  });
}

export const expiry: ContractGroup = {
  'is noticed by the clock, even when the event loop is blocked': async (context) => {
    const lease = await context.lock(await context.peer()).acquire(fixed(context));
    const { signal } = lease;
    for (let { isHeld } = lease; context.now() < lease.validUntil; { isHeld } = lease) {
      assert.equal(isHeld, true);
      context.block(1);
    }
    assert.deepEqual([lease.isHeld, lease.remainingMs], [false, 0]);
    assert.throws(() => lease.assertHeld(), { code: 'LOCK_LOST' });
    assert.equal(signal.aborted, false, 'no timer can have run yet');
  },

  'is told by an event and by the signal within 50 ms': async (context) => {
    const peer = await context.peer();
    const told = new Promise<number>((resolve) => {
      peer.on('lease.lost', ({ reason }) => {
        assert.equal(reason, 'expired');
        resolve(context.now());
      });
    });
    const lease = await context.lock(peer).acquire(fixed(context));
    const { signal } = lease;
    const lateness = await latenessAt(context.clock, lease);
    const lateMs = (await told) - lease.validUntil;
    assert.ok(lateMs >= 0 && lateMs <= LOSS_MS + lateness, `told ${lateMs} ms after the end`);
    assert.equal(signal.aborted, true);
    assert.equal((signal.reason as { code: string }).code, 'LOCK_LOST');
  },

  'makes run() throw instead of reporting success': async (context) => {
    const lock = context.lock(await context.peer());
    const outlasted = lock.run(async (lease) => {
      await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
      return 'done';
    }, fixed(context));
    await assert.rejects(outlasted, { code: 'LOCK_LOST', reason: 'expired' });
    const failed = lock.run(async (lease) => {
      await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
      throw new RangeError('of the body');
    }, fixed(context));
    await assert.rejects(failed, RangeError, 'an error of the body is never hidden');
  },

  'lets the next holder in, and never before': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await context.lock(one).acquire(fixed(context));
    const bound = lease.validUntil - context.now() + 1_000;
    const next = await context.within('the next holder', bound, () => context.lock(other).acquire());
    assert.equal(lease.isHeld, false);
    assert.equal(await lease.release(), 'lost', 'a release after the end says so');
    assert.equal(await lease.release(), 'lost');
    assert.equal(next.isHeld, true);
    assert.equal(await next.release(), 'released', 'the late release has not touched the next holder');
  },

  'comes at maxHoldMs, however often the lease was renewed': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const { renewedLeaseMs: leaseMs } = context;
    const maxHoldMs = 2 * leaseMs;
    const start = context.now();
    const lease = await context.lock(one).acquire({ leaseMs, maxHoldMs });
    const next = await context.within('the end of the hold', maxHoldMs + 500, () =>
      context.lock(other).acquire(),
    );
    assert.ok(context.now() >= lease.validUntil, 'granted before the lease had ended');
    // Allows for the clock drift margin.
    assert.ok(lease.validUntil >= start + 0.98 * maxHoldMs, `ended after ${lease.validUntil - start} ms`);
    assert.equal(lease.isHeld, false);
    assert.equal((lease.signal.reason as { reason: string }).reason, 'maxHold');
    await next.release();
  },
};
