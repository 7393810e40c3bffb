import assert from 'node:assert/strict';
import type { ContractGroup } from '../../context/contract-group.js';

const NOW = { keepMs: 0, leaveQueue: true } as const;

/** The driver's own promises: the engine relies on each of them after a lost request or reply. */
export const verbs: ContractGroup = {
  'grant a claim that is repeated, and count it once': async (context) => {
    const backend = await context.backend();
    const claim = context.claim(backend);
    assert.equal((await backend.leases.claim(claim)).kind, 'granted');
    assert.equal((await backend.leases.claim(claim)).kind, 'granted');
    assert.equal((await backend.leases.inspect(context.resource, context.shape)).length, 1);
    assert.equal(await backend.leases.withdraw(claim, NOW), 'released');
    await context.becomesEmpty();
  },

  'refuse a second claim and name the holder': async (context) => {
    const [one, other] = [await context.backend(), await context.backend()];
    const claim = context.claim(one, { leaseMs: 8_000 });
    await one.leases.claim(claim);
    for (const backend of [one, other]) {
      const verdict = await backend.leases.claim(context.claim(backend));
      assert.equal(verdict.kind, 'refused');
      assert.equal(verdict.holder?.id, claim.id);
      assert.ok(verdict.holder.remainingMs > 0 && verdict.holder.remainingMs <= 8_000);
      assert.ok(verdict.retryInMs > 0 && verdict.retryInMs <= 8_100);
    }
  },

  'answer a repeated withdraw with "absent", and leave the next holder alone': async (context) => {
    const backend = await context.backend();
    const [claim, next] = [context.claim(backend), context.claim(backend)];
    await backend.leases.claim(claim);
    assert.equal(await backend.leases.withdraw(claim, NOW), 'released');
    assert.equal(await backend.leases.withdraw(claim, NOW), 'absent');
    await backend.leases.claim(next);
    assert.equal(await backend.leases.withdraw(claim, NOW), 'absent');
    assert.deepEqual(await backend.leases.renew([{ ...next, keepMs: 0 }]), ['renewed']);
  },

  'never bring a grant back by a late renewal': async (context) => {
    const backend = await context.backend();
    const claim = context.claim(backend);
    await backend.leases.claim(claim);
    await backend.leases.withdraw(claim, NOW);
    assert.deepEqual(await backend.leases.renew([{ ...claim, keepMs: 0 }]), ['lost']);
    backend.leases.annotate(claim, { depth: 2 });
    await context.becomesEmpty();
    assert.deepEqual(await backend.leases.inspect(context.resource, context.shape), []);
  },

  'refuse a request that arrives after its time, so that it leaves no orphan': async (context) => {
    const backend = await context.backend();
    const late = context.claim(backend, { notAfter: context.now() - 100 });
    assert.equal((await backend.leases.claim(late)).kind, 'stale');
    assert.equal(await context.harness.isEmpty(context.resource), true);
    assert.equal((await backend.leases.claim(context.claim(backend))).kind, 'granted');
  },

  'change nothing for a caller that is not the holder': async (context) => {
    const [one, other] = [await context.backend(), await context.backend()];
    const claim = context.claim(one, { leaseMs: 8_000 });
    await one.leases.claim(claim);
    const foreign = context.claim(other);
    assert.deepEqual(await other.leases.renew([{ ...foreign, leaseMs: 5_000, keepMs: 0 }]), ['lost']);
    assert.equal(await other.leases.withdraw(foreign, NOW), 'absent');
    assert.equal(await other.leases.withdraw(foreign, { ...NOW, keepMs: 10 }), 'absent');
    other.leases.annotate(foreign, { depth: 7 });
    const [view, ...more] = await other.leases.inspect(context.resource, context.shape);
    assert.deepEqual(more, []);
    assert.deepEqual([view?.id, view?.depth], [claim.id, 1]);
    assert.ok(view!.remainingMs > 4_000 && view!.remainingMs <= 8_000);
    assert.deepEqual(await one.leases.renew([{ ...claim, keepMs: 0 }]), ['renewed']);
  },

  'answer each item of a batch for itself, in order': async (context) => {
    const backend = await context.backend();
    const claims = Array.from({ length: 5 }, (_, i) =>
      context.claim(backend, { resource: `${context.resource}:${i}` }),
    );
    const kinds = await Promise.all(claims.map(async (claim) => (await backend.leases.claim(claim)).kind));
    assert.deepEqual(new Set(kinds), new Set(['granted']));
    await backend.leases.withdraw(claims[2]!, NOW);
    const outcomes = await backend.leases.renew(claims.map((claim) => ({ ...claim, keepMs: 0 })));
    assert.deepEqual(outcomes, ['renewed', 'renewed', 'lost', 'renewed', 'renewed']);
    await Promise.all(claims.map((claim) => backend.leases.withdraw(claim, NOW)));
  },

  'prolong a grant by a repeated claim or a renewal, and never shorten it': async (context) => {
    const backend = await context.backend();
    const claim = context.claim(backend, { leaseMs: 8_000 });
    const remaining = async (): Promise<number> =>
      (await backend.leases.inspect(context.resource, context.shape))[0]?.remainingMs ?? 0;
    await backend.leases.claim(claim);
    await backend.leases.claim({ ...claim, leaseMs: 200 });
    await backend.leases.renew([{ ...claim, leaseMs: 200, keepMs: 0 }]);
    assert.ok((await remaining()) > 4_000);
    await backend.leases.claim({ ...claim, leaseMs: 16_000 });
    assert.ok((await remaining()) > 12_000);
    await backend.leases.renew([{ ...claim, leaseMs: 24_000, keepMs: 0 }]);
    assert.ok((await remaining()) > 20_000);
  },

  'give a revoked grant no new life, neither by renewal nor by a repeated claim': async (context) => {
    const backend = await context.backend();
    const claim = context.claim(backend);
    await backend.leases.claim(claim);
    assert.equal(await backend.leases.revoke(context.resource, context.shape, 'atExpiry'), true);
    assert.deepEqual(await backend.leases.renew([{ ...claim, keepMs: 0 }]), ['revoked']);
    assert.equal((await backend.leases.claim(claim)).kind, 'refused');
    assert.equal(await backend.leases.withdraw(claim, NOW), 'released');
    await context.becomesEmpty();
  },
};
