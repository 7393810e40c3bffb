import assert from 'node:assert/strict';
import { READER, WRITER, type Backend, type Claim, type HeldRef, type Verdict } from 'bedrock-lock';
import type { ContractTheme } from '../../context/contract-theme.js';
import type { Stage } from '../../context/stage.js';

const FREE = { keepMs: 0, leaveQueue: true };

/** A claim to read or to write, as the engine would send it. */
function claimTo(stage: Stage, what: 'read' | 'write', backend: Backend, terms: Partial<Claim> = {}): Claim {
  const [shape, tokens] = what === 'read' ? [READER, 0] : [WRITER, 1];
  return stage.claim(backend, { shape, tokens, ...terms });
}

async function granted(backend: Backend, claim: Claim): Promise<Claim> {
  assert.equal((await backend.leases.claim(claim)).kind, 'granted');
  return claim;
}

function held(claim: Claim, leaseMs = 5_000): HeldRef {
  return { ...claim, leaseMs, keepMs: 0 };
}

async function kinds(stage: Stage, backend: Backend): Promise<string[]> {
  const views = await backend.leases.inspect(stage.resource, READER);
  return views.map(({ mode }) => mode);
}

export const readWriteVerbs: ContractTheme = {
  'repeat a claim: one grant of it exists': async (stage) => {
    const backend = await stage.backend();
    for (const what of ['read', 'write'] as const) {
      const claim = claimTo(stage, what, backend);
      const verdicts: Verdict[] = [];
      for (let i = 0; i < 3; i += 1) verdicts.push(await backend.leases.claim(claim));
      assert.deepEqual(
        verdicts.map(({ kind }) => kind),
        ['granted', 'granted', 'granted'],
      );
      assert.equal((await kinds(stage, backend)).length, 1);
      assert.equal(await backend.leases.withdraw(claim, FREE), 'released');
      assert.equal(await backend.leases.withdraw(claim, FREE), 'absent');
    }
    await stage.becomesEmpty();
  },

  'grant a repeat of a reader though a writer waits by now': async (stage) => {
    const [one, other] = [await stage.backend(), await stage.backend()];
    const reader = await granted(one, claimTo(stage, 'read', one));
    const writer = claimTo(stage, 'write', other, { queue: true });
    assert.equal((await other.leases.claim(writer)).kind, 'refused');
    assert.equal((await one.leases.claim(reader)).kind, 'granted');
    assert.equal((await one.leases.claim(claimTo(stage, 'read', one))).kind, 'refused');
  },

  'let a place in line be of what was asked for last': async (stage) => {
    const [one, other] = [await stage.backend(), await stage.backend()];
    await granted(one, claimTo(stage, 'read', one));
    const writer = claimTo(stage, 'write', other, { queue: true });
    assert.equal((await other.leases.claim(writer)).kind, 'refused');
    await other.leases.withdraw(writer, { keepMs: 0, leaveQueue: false });
    assert.equal((await one.leases.claim(claimTo(stage, 'read', one))).kind, 'refused');
    await granted(other, claimTo(stage, 'read', other, { queue: true }));
    await granted(one, claimTo(stage, 'read', one));
  },

  'refuse a late claim as stale, also one to read': async (stage) => {
    const backend = await stage.backend();
    await granted(backend, claimTo(stage, 'read', backend));
    await stage.pass(50);
    const late = claimTo(stage, 'read', backend, { notAfter: stage.now() - 20 });
    assert.equal((await backend.leases.claim(late)).kind, 'stale');
    assert.equal((await kinds(stage, backend)).length, 1);
  },

  'turn a writer into a reader by a renewal, again and again, and never back': async (stage) => {
    const backend = await stage.backend();
    const writer = await granted(backend, claimTo(stage, 'write', backend));
    const reader = { ...held(writer, 50), shape: READER };
    for (let i = 0; i < 2; i += 1) {
      assert.deepEqual(await backend.leases.renew([reader]), ['renewed']);
      assert.deepEqual(await kinds(stage, backend), ['shared']);
    }
    assert.deepEqual(await backend.leases.renew([held(writer)]), ['renewed']);
    assert.deepEqual(await kinds(stage, backend), ['shared']);
    const beside = await granted(backend, claimTo(stage, 'read', backend));
    assert.equal(await backend.leases.withdraw(reader, FREE), 'released');
    assert.equal(await backend.leases.withdraw(beside, FREE), 'released');
    await stage.becomesEmpty();
  },

  'renew each reader for itself, in one batch': async (stage) => {
    const backend = await stage.backend();
    const readers: Claim[] = [];
    for (let i = 0; i < 3; i += 1) readers.push(await granted(backend, claimTo(stage, 'read', backend)));
    await backend.leases.withdraw(readers[1]!, { keepMs: 0, leaveQueue: false });
    const outcomes = await backend.leases.renew(readers.map((claim) => held(claim)));
    assert.deepEqual(outcomes, ['renewed', 'lost', 'renewed']);
    assert.equal((await kinds(stage, backend)).length, 2);
  },

  'end each reader by its own lease': async (stage) => {
    const backend = await stage.backend();
    const leaseMs = stage.briefMs;
    const brief = await granted(backend, claimTo(stage, 'read', backend, { leaseMs }));
    const long = await granted(backend, claimTo(stage, 'read', backend));
    await stage.pass(leaseMs + 50);
    assert.deepEqual(await backend.leases.renew([held(brief), held(long)]), ['lost', 'renewed']);
    assert.equal(await backend.leases.withdraw(brief, FREE), 'absent');
    assert.equal((await backend.leases.claim(claimTo(stage, 'write', backend))).kind, 'refused');
    assert.equal(await backend.leases.withdraw(long, FREE), 'released');
    await granted(backend, claimTo(stage, 'write', backend));
  },

  'touch no grant of somebody else': async (stage) => {
    const [one, other] = [await stage.backend(), await stage.backend()];
    for (const what of ['read', 'write'] as const) {
      const own = await granted(one, claimTo(stage, what, one));
      for (const foreign of [claimTo(stage, 'read', other), claimTo(stage, 'write', other)]) {
        assert.deepEqual(await other.leases.renew([held(foreign)]), ['lost']);
        assert.equal(await other.leases.withdraw(foreign, FREE), 'absent');
        other.leases.annotate(foreign, { depth: 5 });
      }
      assert.equal((await kinds(stage, one)).length, 1);
      assert.equal(await one.leases.withdraw(own, FREE), 'released');
    }
    await stage.becomesEmpty();
  },

  'keep what is to be held at least': async (stage) => {
    const backend = await stage.backend();
    const reader = await granted(backend, claimTo(stage, 'read', backend, { holdAtLeastMs: 400 }));
    assert.equal(await backend.leases.withdraw(reader, { keepMs: 300, leaveQueue: true }), 'released');
    assert.equal((await backend.leases.claim(claimTo(stage, 'write', backend))).kind, 'refused');
    await granted(backend, claimTo(stage, 'read', backend, { leaseMs: stage.briefMs }));
    await stage.pass(Math.max(400, stage.briefMs + 50));
    await granted(backend, claimTo(stage, 'write', backend));
  },
};
