import assert from 'node:assert/strict';
import type { Backend } from 'bedrock-lock';
import { READER, WRITER, type Claim, type HeldRef, type Verdict } from 'bedrock-lock/backend';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

const FREE = { keepMs: 0, leaveQueue: true };

/** A claim to read or to write, as the engine would send it. */
function claimTo(
  context: ContractContext,
  what: 'read' | 'write',
  backend: Backend,
  fields: Partial<Claim> = {},
): Claim {
  const [shape, tokens] = what === 'read' ? [READER, 0] : [WRITER, 1];
  return context.claim(backend, { shape, tokens, ...fields });
}

async function granted(backend: Backend, claim: Claim): Promise<Claim> {
  assert.equal((await backend.leases.claim(claim)).kind, 'granted');
  return claim;
}

function held(claim: Claim, leaseMs = 5_000): HeldRef {
  return { ...claim, leaseMs, keepMs: 0 };
}

async function kinds(context: ContractContext, backend: Backend): Promise<string[]> {
  const views = await backend.leases.inspect(context.resource, READER);
  return views.map(({ mode }) => mode);
}

export const readWriteVerbs: ContractGroup = {
  'repeat a claim: one grant of it exists': async (context) => {
    const backend = await context.backend();
    for (const what of ['read', 'write'] as const) {
      const claim = claimTo(context, what, backend);
      const verdicts: Verdict[] = [];
      for (let i = 0; i < 3; i += 1) verdicts.push(await backend.leases.claim(claim));
      assert.deepEqual(
        verdicts.map(({ kind }) => kind),
        ['granted', 'granted', 'granted'],
      );
      assert.equal((await kinds(context, backend)).length, 1);
      assert.equal(await backend.leases.withdraw(claim, FREE), 'released');
      assert.equal(await backend.leases.withdraw(claim, FREE), 'absent');
    }
    await context.becomesEmpty();
  },

  'grant a repeat of a reader though a writer waits by now': async (context) => {
    const [one, other] = [await context.backend(), await context.backend()];
    const reader = await granted(one, claimTo(context, 'read', one));
    const writer = claimTo(context, 'write', other, { queue: true });
    assert.equal((await other.leases.claim(writer)).kind, 'refused');
    assert.equal((await one.leases.claim(reader)).kind, 'granted');
    assert.equal((await one.leases.claim(claimTo(context, 'read', one))).kind, 'refused');
  },

  'let a place in line be of what was asked for last': async (context) => {
    const [one, other] = [await context.backend(), await context.backend()];
    await granted(one, claimTo(context, 'read', one));
    const writer = claimTo(context, 'write', other, { queue: true });
    assert.equal((await other.leases.claim(writer)).kind, 'refused');
    await other.leases.withdraw(writer, { keepMs: 0, leaveQueue: false });
    assert.equal((await one.leases.claim(claimTo(context, 'read', one))).kind, 'refused');
    await granted(other, claimTo(context, 'read', other, { queue: true }));
    await granted(one, claimTo(context, 'read', one));
  },

  'refuse a late claim as stale, also one to read': async (context) => {
    const backend = await context.backend();
    await granted(backend, claimTo(context, 'read', backend));
    await context.sleep(50);
    const late = claimTo(context, 'read', backend, { notAfter: context.now() - 20 });
    assert.equal((await backend.leases.claim(late)).kind, 'stale');
    assert.equal((await kinds(context, backend)).length, 1);
  },

  'turn a writer into a reader by a renewal, again and again, and never back': async (context) => {
    const backend = await context.backend();
    const writer = await granted(backend, claimTo(context, 'write', backend));
    const reader = { ...held(writer, 50), shape: READER };
    for (let i = 0; i < 2; i += 1) {
      assert.deepEqual(await backend.leases.renew([reader]), ['renewed']);
      assert.deepEqual(await kinds(context, backend), ['shared']);
    }
    assert.deepEqual(await backend.leases.renew([held(writer)]), ['renewed']);
    assert.deepEqual(await kinds(context, backend), ['shared']);
    const beside = await granted(backend, claimTo(context, 'read', backend));
    assert.equal(await backend.leases.withdraw(reader, FREE), 'released');
    assert.equal(await backend.leases.withdraw(beside, FREE), 'released');
    await context.becomesEmpty();
  },

  'renew each reader for itself, in one batch': async (context) => {
    const backend = await context.backend();
    const readers: Claim[] = [];
    for (let i = 0; i < 3; i += 1) readers.push(await granted(backend, claimTo(context, 'read', backend)));
    await backend.leases.withdraw(readers[1]!, { keepMs: 0, leaveQueue: false });
    const outcomes = await backend.leases.renew(readers.map((claim) => held(claim)));
    assert.deepEqual(outcomes, ['renewed', 'lost', 'renewed']);
    assert.equal((await kinds(context, backend)).length, 2);
  },

  'end each reader by its own lease': async (context) => {
    const backend = await context.backend();
    const leaseMs = context.renewedLeaseMs;
    const brief = await granted(backend, claimTo(context, 'read', backend, { leaseMs }));
    const long = await granted(backend, claimTo(context, 'read', backend));
    await context.sleep(leaseMs + 50);
    assert.deepEqual(await backend.leases.renew([held(brief), held(long)]), ['lost', 'renewed']);
    assert.equal(await backend.leases.withdraw(brief, FREE), 'absent');
    assert.equal((await backend.leases.claim(claimTo(context, 'write', backend))).kind, 'refused');
    assert.equal(await backend.leases.withdraw(long, FREE), 'released');
    await granted(backend, claimTo(context, 'write', backend));
  },

  'touch no grant of another holder': async (context) => {
    const [one, other] = [await context.backend(), await context.backend()];
    for (const what of ['read', 'write'] as const) {
      const own = await granted(one, claimTo(context, what, one));
      for (const foreign of [claimTo(context, 'read', other), claimTo(context, 'write', other)]) {
        assert.deepEqual(await other.leases.renew([held(foreign)]), ['lost']);
        assert.equal(await other.leases.withdraw(foreign, FREE), 'absent');
        other.leases.annotate(foreign, { depth: 5 });
      }
      assert.equal((await kinds(context, one)).length, 1);
      assert.equal(await one.leases.withdraw(own, FREE), 'released');
    }
    await context.becomesEmpty();
  },

  'keep what is to be held at least': async (context) => {
    const backend = await context.backend();
    const { stayMs } = context;
    const reader = await granted(backend, claimTo(context, 'read', backend, { holdAtLeastMs: stayMs }));
    const keepMs = stayMs - 100;
    assert.equal(await backend.leases.withdraw(reader, { keepMs, leaveQueue: true }), 'released');
    assert.equal((await backend.leases.claim(claimTo(context, 'write', backend))).kind, 'refused');
    await granted(backend, claimTo(context, 'read', backend, { leaseMs: context.briefMs }));
    await context.sleep(Math.max(stayMs, context.briefMs + 50));
    await granted(backend, claimTo(context, 'write', backend));
  },
};
