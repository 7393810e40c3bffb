import assert from 'node:assert/strict';
import type { ContractGroup } from '../../context/contract-group.js';

function assertGrowing(values: readonly number[]): void {
  for (const [i, value] of values.entries()) {
    assert.ok(Number.isSafeInteger(value), `${value} is no token`);
    assert.ok(i === 0 || value > values[i - 1]!, `${value} came after ${values[i - 1]}`);
  }
}

export const tokens: ContractGroup = {
  'grow from holder to holder, whichever process they belong to': async (context) => {
    const locks = [await context.peer(), await context.peer()].map((peer) => context.lock(peer));
    const seen: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const lease = await locks[i % 2]!.acquire();
      seen.push(lease.token);
      await lease.release();
    }
    assertGrowing(seen);
  },

  'grow while a claim passes from caller to caller without a round trip': async (context) => {
    const peer = await context.peer();
    const callers = 50;
    // Those of a fair mutex wait for a hand-over each.
    const lock = context.lock(peer, { waitMs: context.waitMs(callers) });
    const seen = await Promise.all(Array.from({ length: callers }, () => lock.run(({ token }) => token)));
    // Callers served in arrival order claim for themselves.
    assert.equal(peer.stats().handOvers > 0, context.kind === 'mutex');
    assertGrowing(seen);
  },

  'grow over a lease that ended without a release': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await context.lock(one).acquire({ leaseMs: context.briefMs, renew: false });
    const next = await context.lock(other).acquire();
    assertGrowing([lease.token, next.token]);
  },

  'are never granted twice when a claim is repeated': async (context) => {
    const backend = await context.backend();
    // Large enough that the time spent here, by which tokens also grow, cannot hide a repeated block.
    const claim = context.claim(backend, { tokens: 65_536 });
    const first = await backend.leases.claim(claim);
    const second = await backend.leases.claim(claim);
    assert.ok(first.kind === 'granted' && second.kind === 'granted');
    assert.ok(second.token >= first.token);
    await backend.leases.withdraw(claim, { keepMs: 0, leaveQueue: true });
    const next = await backend.leases.claim(context.claim(backend));
    assert.ok(
      next.kind === 'granted' && next.token >= second.token + 65_536,
      'the reserved block was given twice',
    );
  },

  'are not handed out for a lock without fencing': async (context) => {
    const lock = context.lock(await context.peer(), { fencing: false });
    assert.deepEqual([await lock.run(({ token }) => token), await lock.run(({ token }) => token)], [0, 0]);
  },
};
