import assert from 'node:assert/strict';
import type { ContractTheme } from '../../context/contract-theme.js';

const MANY = 200;
/** Asked for at once: what is tried is that many are kept, not how many can be had in a moment. */
const WAVE = 50;

async function inWaves<T>(count: number, act: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += WAVE) {
    const wave = Array.from({ length: Math.min(WAVE, count - from) }, (_, i) => act(from + i));
    results.push(...(await Promise.all(wave)));
  }
  return results;
}

export const renewal: ContractTheme = {
  'keeps the lock for several leases, while others wait': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lost: unknown[] = [];
    one.on('lease.lost', (event) => lost.push(event));
    const { leaseMs } = stage;
    const lease = await stage.lock(one).acquire({ leaseMs });
    const end = stage.now() + 3 * leaseMs;
    let endedAt = Infinity;
    const next = stage
      .lock(other)
      .acquire()
      .then((granted) => {
        assert.ok(stage.now() >= endedAt, 'granted to another while it was held');
        return granted;
      });
    while (stage.now() < end) {
      await stage.pass(20);
      assert.equal(lease.isHeld, true);
    }
    endedAt = stage.now();
    assert.equal(await lease.release(), 'released');
    await (await next).release();
    assert.deepEqual(lost, []);
  },

  'keeps many locks at a time': async (stage) => {
    const peer = await stage.peer();
    // Time to get them all, where each takes longer.
    const leaseMs = Math.min(12 * stage.handOverMs, 2_000);
    const leases = await inWaves(MANY, (i) => peer.mutex(`${stage.resource}:${i}`).acquire({ leaseMs }));
    await stage.pass((leaseMs * 5) / 3);
    assert.ok(leases.every(({ isHeld }) => isHeld));
    const outcomes = await inWaves(MANY, (i) => leases[i]!.release());
    assert.deepEqual(new Set(outcomes), new Set(['released']));
  },

  'moves the end of a fixed lease only by extend()': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const leaseMs = 2 * stage.briefMs;
    const lease = await stage.lock(one).acquire({ leaseMs, renew: false });
    const before = lease.validUntil;
    await stage.pass(100);
    assert.equal(lease.validUntil, before);
    await lease.extend(2 * leaseMs);
    assert.ok(lease.validUntil > before + leaseMs / 2);
    await stage.pass(leaseMs);
    assert.equal(lease.isHeld, true);
    assert.equal(await stage.lock(other).tryAcquire(), null);
    assert.equal(await lease.release(), 'released');
  },
};
