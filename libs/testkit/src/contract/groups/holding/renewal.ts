import assert from 'node:assert/strict';
import type { ContractGroup } from '../../context/contract-group.js';

const MANY = 200;
/** Acquired at once. A lease starts when its claim is sent, so a long wait for a connection would use it up. */
const WAVE = 20;

async function inWaves<T>(count: number, act: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += WAVE) {
    const wave = Array.from({ length: Math.min(WAVE, count - from) }, (_, i) => act(from + i));
    results.push(...(await Promise.all(wave)));
  }
  return results;
}

export const renewal: ContractGroup = {
  'keeps the lock for several leases, while others wait': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lost: unknown[] = [];
    one.on('lease.lost', (event) => lost.push(event));
    const { renewedLeaseMs: leaseMs } = context;
    const lease = await context.lock(one).acquire({ leaseMs });
    const end = context.now() + 2 * leaseMs;
    let endedAt = Infinity;
    const next = context
      .lock(other)
      .acquire()
      .then((granted) => {
        assert.ok(context.now() >= endedAt, 'granted to another while it was held');
        return granted;
      });
    while (context.now() < end) {
      await context.sleep(20);
      assert.equal(lease.isHeld, true);
    }
    endedAt = context.now();
    assert.equal(await lease.release(), 'released');
    await (await next).release();
    assert.deepEqual(lost, []);
  },

  'keeps many locks at a time': async (context) => {
    const peer = await context.peer();
    const leaseMs = Math.min(context.renewedLeaseMs, 2_000);
    const leases = await inWaves(MANY, (i) => peer.mutex(`${context.resource}:${i}`).acquire({ leaseMs }));
    await context.sleep((leaseMs * 5) / 3);
    assert.ok(leases.every(({ isHeld }) => isHeld));
    const outcomes = await inWaves(MANY, (i) => leases[i]!.release());
    assert.deepEqual(new Set(outcomes), new Set(['released']));
  },

  'moves the end of a fixed lease only by extend()': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    // Longer than a machine stands still: the length is not the point.
    const leaseMs = context.renewedLeaseMs;
    const lease = await context.lock(one).acquire({ leaseMs, renew: false });
    const before = lease.validUntil;
    await context.sleep(100);
    assert.equal(lease.validUntil, before);
    await lease.extend(2 * leaseMs);
    assert.ok(lease.validUntil > before + leaseMs / 2);
    await context.sleep(leaseMs);
    assert.equal(lease.isHeld, true);
    assert.equal(await context.lock(other).tryAcquire(), null);
    assert.equal(await lease.release(), 'released');
  },
};
