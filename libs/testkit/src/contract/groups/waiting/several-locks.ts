import assert from 'node:assert/strict';
import { multiLock, type Bedrock, type MultiLock } from 'bedrock-lock';
import type { Claim } from 'bedrock-lock/backend';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

const NOW = { keepMs: 0, leaveQueue: true } as const;

function multi(context: ContractContext, peer: Bedrock, keys: string): MultiLock {
  return multiLock([...keys].map((key) => context.lock(peer).for(key)));
}

/** The locks without a holder and without a waiter. */
async function free(context: ContractContext, keys: string): Promise<string> {
  const empty = await Promise.all(
    [...keys].map((key) => context.harness.isEmpty(`${context.resource}:${key}`)),
  );
  return [...keys].filter((_, i) => empty[i]).join('');
}

function becomesFree(context: ContractContext, keys: string): Promise<void> {
  return context.eventually('nothing is left', async () => (await free(context, keys)) === keys);
}

/** The same claims under new ids. */
function claims(
  context: ContractContext,
  backend: Parameters<ContractContext['claim']>[0],
  keys: string,
): Claim[] {
  return [...keys].map((key) => context.claim(backend, { resource: `${context.resource}:${key}` }));
}

export const severalLocks: ContractGroup = {
  'are held all or none': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const held = await context.lock(one).for('b').acquire();
    const both = multi(context, other, 'abc');
    assert.equal(await both.tryAcquire(), null);
    await assert.rejects(both.acquire({ waitMs: 60 }), { code: 'LOCK_WAIT_TIMEOUT' });
    await becomesFree(context, 'ac');
    await held.release();
    const lease = await both.acquire();
    assert.equal(lease.isHeld, true);
    assert.equal(await context.lock(one).for('c').tryAcquire(), null);
    assert.equal(await lease.release(), 'released');
    await becomesFree(context, 'abc');
  },

  'are never wanted in circles, in whatever order they are named, and lose no update': async (context) => {
    const peers = [await context.peer(), await context.peer(), await context.peer()];
    const counts = new Map([...'abc'].map((key) => [key, 0]));
    const orders = ['ab', 'ba', 'bc', 'cb', 'ca', 'ac', 'abc', 'cba'];
    const callers = peers.flatMap((peer) =>
      orders.map(async (keys) => {
        for (let i = 0; i < 5; i += 1) {
          await multi(context, peer, keys).run(
            async () => {
              const before = [...keys].map((key) => counts.get(key)!);
              await context.sleep(1);
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
    await becomesFree(context, 'abc');
  },

  'have tokens that grow for each of them': async (context) => {
    const peers = [await context.peer(), await context.peer()];
    const before = new Map<string, number>();
    for (let i = 0; i < 6; i += 1) {
      const lease = await multi(context, peers[i % 2]!, i % 3 === 0 ? 'ab' : 'abc').acquire();
      for (const [resource, token] of lease.tokens) {
        assert.ok(token > (before.get(resource) ?? 0), `${token} came after ${before.get(resource)}`);
        before.set(resource, token);
      }
      await lease.release();
    }
  },

  'are lost together: the signal aborts when one is': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await multi(context, one, 'ab').acquire();
    const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    await context.lock(other).for('b').forceRelease();
    await lost;
    assert.deepEqual([lease.isHeld, lease.isLost], [false, true]);
    assert.equal(await lease.release(), 'lost');
    await becomesFree(context, 'ab');
  },

  'may be asked for in one question, which may be repeated and is undone lock by lock': async (context) => {
    const [one, other] = [await context.backend(), await context.backend()];
    const wanted = claims(context, one, 'ab');
    const verdict = await one.leases.claimAll?.(wanted);
    // A backend that cannot decide several claims at once says so, and has changed nothing.
    if (verdict === undefined || verdict.kind === 'separate') return becomesFree(context, 'ab');
    assert.equal(verdict.kind, 'granted');
    assert.equal((await one.leases.claimAll!(wanted)).kind, 'granted');
    const refused = await other.leases.claimAll!(claims(context, other, 'bc'));
    assert.ok(refused.kind === 'refused' && refused.resource === `${context.resource}:b`);
    assert.equal(refused.holder?.id, wanted[1]!.id);
    assert.equal(await free(context, 'c'), 'c');
    for (const claim of wanted) assert.equal(await one.leases.withdraw(claim, NOW), 'released');
    await becomesFree(context, 'abc');
    const late = claims(context, one, 'ab').map((claim) => ({ ...claim, notAfter: context.now() - 100 }));
    assert.equal((await one.leases.claimAll!(late)).kind, 'stale');
    assert.equal(await free(context, 'ab'), 'ab');
  },
};
