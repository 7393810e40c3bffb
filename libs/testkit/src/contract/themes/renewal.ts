import assert from 'node:assert/strict';
import type { ContractTheme } from '../contract-theme.js';

export const renewal: ContractTheme = {
  'keeps the lock for several leases, while others wait': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lost: unknown[] = [];
    one.on('lease.lost', (event) => lost.push(event));
    const lease = await stage.lock(one).acquire({ leaseMs: 500 });
    const end = stage.now() + 2_000;
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
    // Time to get them all on a busy machine; fewer, where each takes longer.
    const leaseMs = Math.min(24 * stage.handOverMs, 2_000);
    const many = Math.ceil(10_000 / stage.handOverMs);
    const leases = await Promise.all(
      Array.from({ length: many }, (_, i) => peer.mutex(`${stage.resource}:${i}`).acquire({ leaseMs })),
    );
    await stage.pass((leaseMs * 5) / 3);
    assert.ok(leases.every(({ isHeld }) => isHeld));
    const outcomes = await Promise.all(leases.map((lease) => lease.release()));
    assert.deepEqual(new Set(outcomes), new Set(['released']));
  },

  'moves the end of a fixed lease only by extend()': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lease = await stage.lock(one).acquire({ leaseMs: 300, renew: false });
    const before = lease.validUntil;
    await stage.pass(100);
    assert.equal(lease.validUntil, before);
    await lease.extend(600);
    assert.ok(lease.validUntil > before + 200);
    await stage.pass(300);
    assert.equal(lease.isHeld, true);
    assert.equal(await stage.lock(other).tryAcquire(), null);
    assert.equal(await lease.release(), 'released');
  },
};
