import assert from 'node:assert/strict';
import type { ContractTheme } from '../../context/contract-theme.js';

function assertGrowing(values: readonly number[]): void {
  for (const [i, value] of values.entries()) {
    assert.ok(Number.isSafeInteger(value), `${value} is no token`);
    assert.ok(i === 0 || value > values[i - 1]!, `${value} came after ${values[i - 1]}`);
  }
}

export const tokens: ContractTheme = {
  'grow from holder to holder, whichever process they belong to': async (stage) => {
    const locks = [await stage.peer(), await stage.peer()].map((peer) => stage.lock(peer));
    const seen: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const lease = await locks[i % 2]!.acquire();
      seen.push(lease.token);
      await lease.release();
    }
    assertGrowing(seen);
  },

  'grow where a claim goes from caller to caller without a trip': async (stage) => {
    const peer = await stage.peer();
    const lock = stage.lock(peer);
    const seen = await Promise.all(Array.from({ length: 50 }, () => lock.run(({ token }) => token)));
    // Who is served in order of arrival asks for itself.
    assert.equal(peer.stats().handOvers > 0, stage.kind === 'mutex');
    assertGrowing(seen);
  },

  'grow over a lease that ended without a release': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lease = await stage.lock(one).acquire({ leaseMs: stage.briefMs, renew: false });
    const next = await stage.lock(other).acquire();
    assertGrowing([lease.token, next.token]);
  },

  'are repeated for nobody when a claim is repeated': async (stage) => {
    const backend = await stage.backend();
    // So many that the time that passes here, which tokens grow by too, does not make up for them.
    const claim = stage.claim(backend, { tokens: 65_536 });
    const first = await backend.leases.claim(claim);
    const second = await backend.leases.claim(claim);
    assert.ok(first.kind === 'granted' && second.kind === 'granted');
    assert.ok(second.token >= first.token);
    await backend.leases.withdraw(claim, { keepMs: 0, leaveQueue: true });
    const next = await backend.leases.claim(stage.claim(backend));
    assert.ok(
      next.kind === 'granted' && next.token >= second.token + 65_536,
      'the reserved block was given twice',
    );
  },

  'are not handed out for a lock without fencing': async (stage) => {
    const lock = stage.lock(await stage.peer(), { fencing: false });
    assert.deepEqual([await lock.run(({ token }) => token), await lock.run(({ token }) => token)], [0, 0]);
  },
};
