import assert from 'node:assert/strict';
import type { Backend } from 'bedrock-lock';
import { permits, type Claim, type ClaimRef } from 'bedrock-lock/backend';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

const NOW = { keepMs: 0, leaveQueue: true } as const;

/** A claim of some of 4 permits, as the engine would send it. */
function permitClaim(
  context: ContractContext,
  backend: Backend,
  units = 1,
  fields: Partial<Claim> = {},
): Claim {
  return context.claim(backend, { shape: permits(units, 4), tokens: 0, ...fields });
}

/** Held permits by claim. */
async function unitsOf(context: ContractContext, backend: Backend): Promise<Record<string, number>> {
  const views = await backend.leases.inspect(context.resource, permits(1, 4));
  return Object.fromEntries(views.map(({ id, units }) => [id, units]));
}

const renewal = (ref: ClaimRef, leaseMs: number) => [{ ...ref, leaseMs, keepMs: 0 }];

/** The driver's own promises about permits: the engine relies on each of them after a lost request or reply. */
export const permitVerbs: ContractGroup = {
  'grant a claim that is repeated, and count its permits once': async (context) => {
    const backend = await context.backend();
    const claim = permitClaim(context, backend, 3);
    assert.equal((await backend.leases.claim(claim)).kind, 'granted');
    assert.equal((await backend.leases.claim(claim)).kind, 'granted');
    assert.deepEqual(await unitsOf(context, backend), { [claim.id]: 3 });
    assert.equal((await backend.leases.claim(permitClaim(context, backend, 2))).kind, 'refused');
    assert.equal(await backend.leases.withdraw(claim, NOW), 'released');
    await context.becomesEmpty();
  },

  'refuse what does not fit, and say when the next lease ends': async (context) => {
    const [one, other] = [await context.backend(), await context.backend()];
    await one.leases.claim(permitClaim(context, one, 2, { leaseMs: 20_000 }));
    await one.leases.claim(permitClaim(context, one, 1, { leaseMs: 8_000 }));
    const verdict = await other.leases.claim(permitClaim(context, other, 2));
    assert.equal(verdict.kind, 'refused');
    assert.ok(verdict.retryInMs > 4_000 && verdict.retryInMs <= 8_100);
    assert.ok(verdict.holder?.id.startsWith(one.processId));
    assert.equal((await other.leases.claim(permitClaim(context, other, 1))).kind, 'granted');
  },

  'answer a repeated withdraw with "absent", and leave other grants alone': async (context) => {
    const backend = await context.backend();
    const [claim, next] = [permitClaim(context, backend, 2), permitClaim(context, backend, 2)];
    await backend.leases.claim(claim);
    await backend.leases.claim(next);
    assert.equal(await backend.leases.withdraw(claim, NOW), 'released');
    assert.equal(await backend.leases.withdraw(claim, NOW), 'absent');
    assert.deepEqual(await unitsOf(context, backend), { [next.id]: 2 });
    assert.deepEqual(await backend.leases.renew(renewal(claim, 5_000)), ['lost']);
    assert.deepEqual(await backend.leases.renew(renewal(next, 5_000)), ['renewed']);
  },

  'change nothing for a caller that is not the holder': async (context) => {
    const [one, other] = [await context.backend(), await context.backend()];
    const claim = permitClaim(context, one, 2, { leaseMs: 8_000 });
    await one.leases.claim(claim);
    const foreign = permitClaim(context, other, 2);
    assert.deepEqual(await other.leases.renew(renewal(foreign, 5_000)), ['lost']);
    assert.equal(await other.leases.withdraw(foreign, NOW), 'absent');
    assert.equal(await other.leases.withdraw(foreign, { ...NOW, keepMs: 10 }), 'absent');
    other.leases.annotate(foreign, { depth: 7 });
    const [view, ...more] = await other.leases.inspect(context.resource, permits(1, 4));
    assert.deepEqual([more.length, view?.id, view?.units, view?.depth], [0, claim.id, 2, 1]);
    assert.ok(view!.remainingMs > 4_000 && view!.remainingMs <= 8_000);
  },

  'refuse a request that arrives after its time, so that it leaves no orphan': async (context) => {
    const backend = await context.backend();
    const late = permitClaim(context, backend, 2, { notAfter: context.now() - 100 });
    assert.equal((await backend.leases.claim(late)).kind, 'stale');
    assert.equal(await context.harness.isEmpty(context.resource), true);
  },

  'let no late renewal bring back what has ended or was given back': async (context) => {
    const backend = await context.backend();
    const leaseMs = context.briefMs;
    const [ended, given] = [permitClaim(context, backend, 2, { leaseMs }), permitClaim(context, backend)];
    await backend.leases.claim(ended);
    await backend.leases.claim(given);
    await backend.leases.withdraw(given, NOW);
    await context.sleep(leaseMs + 50);
    assert.deepEqual(await backend.leases.renew([...renewal(ended, 5_000), ...renewal(given, 5_000)]), [
      'lost',
      'lost',
    ]);
    assert.equal(await backend.leases.withdraw(ended, NOW), 'absent');
    await context.becomesEmpty();
  },

  'prolong a grant by a repeated claim or a renewal, and never shorten it': async (context) => {
    const backend = await context.backend();
    const claim = permitClaim(context, backend, 2, { leaseMs: 8_000 });
    const remaining = async (): Promise<number> =>
      (await backend.leases.inspect(context.resource, claim.shape))[0]?.remainingMs ?? 0;
    await backend.leases.claim(claim);
    await backend.leases.claim({ ...claim, leaseMs: 200 });
    await backend.leases.renew(renewal(claim, 200));
    assert.ok((await remaining()) > 4_000);
    await backend.leases.claim({ ...claim, leaseMs: 16_000 });
    assert.ok((await remaining()) > 12_000);
    await backend.leases.renew(renewal(claim, 24_000));
    assert.ok((await remaining()) > 20_000);
  },

  'give a revoked grant no new life, neither by renewal nor by a repeated claim': async (context) => {
    const backend = await context.backend();
    const [claim, later] = [permitClaim(context, backend, 2), permitClaim(context, backend)];
    await backend.leases.claim(claim);
    assert.equal(await backend.leases.revoke(context.resource, claim.shape, 'atExpiry'), true);
    await backend.leases.claim(later);
    assert.deepEqual(await backend.leases.renew([...renewal(claim, 5_000), ...renewal(later, 5_000)]), [
      'revoked',
      'renewed',
    ]);
    assert.equal((await backend.leases.claim(claim)).kind, 'refused');
    assert.equal(await backend.leases.withdraw(claim, NOW), 'released');
    assert.equal(await backend.leases.withdraw(later, NOW), 'released');
    await context.becomesEmpty();
  },

  'keep permits taken as long as they are to be held at least, and no longer': async (context) => {
    const [backend, other] = [await context.backend(), await context.backend()];
    const claim = permitClaim(context, backend, 4, { holdAtLeastMs: 3_000 });
    await backend.leases.claim(claim);
    assert.equal(
      await backend.leases.withdraw(claim, { keepMs: context.stayMs, leaveQueue: true }),
      'released',
    );
    assert.equal((await other.leases.claim(permitClaim(context, other))).kind, 'refused');
    await context.becomesEmpty(context.stayMs + 2_000);
  },

  'answer each item of a batch for itself, in order': async (context) => {
    const backend = await context.backend();
    const claims = [2, 1, 2, 1].map((units) => permitClaim(context, backend, units));
    const kinds = await Promise.all(claims.map(async (claim) => (await backend.leases.claim(claim)).kind));
    assert.deepEqual(kinds, ['granted', 'granted', 'refused', 'granted']);
    const outcomes = await backend.leases.renew(claims.flatMap((claim) => renewal(claim, 5_000)));
    assert.deepEqual(outcomes, ['renewed', 'renewed', 'lost', 'renewed']);
    await Promise.all(claims.map((claim) => backend.leases.withdraw(claim, NOW)));
    await context.becomesEmpty();
  },
};
