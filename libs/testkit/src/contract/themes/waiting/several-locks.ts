import assert from 'node:assert/strict';
import { multiLock, type Bedrock, type Claim, type MultiLock } from 'bedrock-lock';
import type { ContractTheme } from '../../context/contract-theme.js';
import type { Stage } from '../../context/stage.js';

const NOW = { keepMs: 0, leaveQueue: true } as const;

function multi(stage: Stage, peer: Bedrock, keys: string): MultiLock {
  return multiLock([...keys].map((key) => stage.lock(peer).for(key)));
}

/** Which of the locks nobody holds and nobody waits for. */
async function free(stage: Stage, keys: string): Promise<string> {
  const empty = await Promise.all([...keys].map((key) => stage.harness.isEmpty(`${stage.resource}:${key}`)));
  return [...keys].filter((_, i) => empty[i]).join('');
}

function becomesFree(stage: Stage, keys: string): Promise<void> {
  return stage.eventually('nothing is left', async () => (await free(stage, keys)) === keys);
}

/** The same claims, under ids of their own. */
function claims(stage: Stage, backend: Parameters<Stage['claim']>[0], keys: string): Claim[] {
  return [...keys].map((key) => stage.claim(backend, { resource: `${stage.resource}:${key}` }));
}

export const severalLocks: ContractTheme = {
  'are held all or none': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const held = await stage.lock(one).for('b').acquire();
    const both = multi(stage, other, 'abc');
    assert.equal(await both.tryAcquire(), null);
    await assert.rejects(both.acquire({ waitMs: 60 }), { code: 'LOCK_WAIT_TIMEOUT' });
    await becomesFree(stage, 'ac');
    await held.release();
    const lease = await both.acquire();
    assert.equal(lease.isHeld, true);
    assert.equal(await stage.lock(one).for('c').tryAcquire(), null);
    assert.equal(await lease.release(), 'released');
    await becomesFree(stage, 'abc');
  },

  'are never wanted in circles, in whatever order they are named, and lose no update': async (stage) => {
    const peers = [await stage.peer(), await stage.peer(), await stage.peer()];
    const counts = new Map([...'abc'].map((key) => [key, 0]));
    const orders = ['ab', 'ba', 'bc', 'cb', 'ca', 'ac', 'abc', 'cba'];
    const callers = peers.flatMap((peer) =>
      orders.map(async (keys) => {
        for (let i = 0; i < 5; i += 1) {
          await multi(stage, peer, keys).run(
            async () => {
              const before = [...keys].map((key) => counts.get(key)!);
              await stage.pass(1);
              for (const [at, key] of [...keys].entries()) counts.set(key, before[at]! + 1);
            },
            { waitMs: 20_000 },
          );
        }
      }),
    );
    await Promise.all(callers);
    const wanted = (key: string): number =>
      5 * peers.length * orders.filter((keys) => keys.includes(key)).length;
    assert.deepEqual(Object.fromEntries(counts), { a: wanted('a'), b: wanted('b'), c: wanted('c') });
    await becomesFree(stage, 'abc');
  },

  'have tokens that grow for each of them': async (stage) => {
    const peers = [await stage.peer(), await stage.peer()];
    const before = new Map<string, number>();
    for (let i = 0; i < 6; i += 1) {
      const lease = await multi(stage, peers[i % 2]!, i % 3 === 0 ? 'ab' : 'abc').acquire();
      for (const [resource, token] of lease.tokens) {
        assert.ok(token > (before.get(resource) ?? 0), `${token} came after ${before.get(resource)}`);
        before.set(resource, token);
      }
      await lease.release();
    }
  },

  'are lost together: the signal aborts when one is': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lease = await multi(stage, one, 'ab').acquire();
    const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    await stage.lock(other).for('b').forceRelease();
    await lost;
    assert.deepEqual([lease.isHeld, lease.isLost], [false, true]);
    assert.equal(await lease.release(), 'lost');
    await becomesFree(stage, 'ab');
  },

  'may be asked for in one question, which may be repeated and is undone lock by lock': async (stage) => {
    const [one, other] = [await stage.backend(), await stage.backend()];
    const wanted = claims(stage, one, 'ab');
    const verdict = await one.leases.claimAll?.(wanted);
    // A backend that cannot decide several at once says so, and has changed nothing.
    if (verdict === undefined || verdict.kind === 'separate') return becomesFree(stage, 'ab');
    assert.equal(verdict.kind, 'granted');
    assert.equal((await one.leases.claimAll!(wanted)).kind, 'granted');
    const refused = await other.leases.claimAll!(claims(stage, other, 'bc'));
    assert.ok(refused.kind === 'refused' && refused.resource === `${stage.resource}:b`);
    assert.equal(refused.holder?.id, wanted[1]!.id);
    assert.equal(await free(stage, 'c'), 'c');
    for (const claim of wanted) assert.equal(await one.leases.withdraw(claim, NOW), 'released');
    await becomesFree(stage, 'abc');
    const late = claims(stage, one, 'ab').map((claim) => ({ ...claim, notAfter: stage.now() - 100 }));
    assert.equal((await one.leases.claimAll!(late)).kind, 'stale');
    assert.equal(await free(stage, 'ab'), 'ab');
  },
};
