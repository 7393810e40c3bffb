import assert from 'node:assert/strict';
import type { Bedrock, Lease } from 'bedrock-lock';
import { FaultyBackend } from '../../../faults/faulty-backend.js';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** A hand-over noticed without the sweep, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;

/** Queues one caller of each peer, in the order of the list, and returns the order of their grants. */
async function lineUp(
  context: ContractContext,
  peers: readonly Bedrock[],
): Promise<{ served: number[]; all: Promise<void> }> {
  const served: number[] = [];
  const callers: Promise<void>[] = [];
  for (const [i, peer] of peers.entries()) {
    const waiting = peer.stats().waiters + 1;
    callers.push(context.lock(peer).run(() => void served.push(i)));
    await context.waiting(peer, waiting);
  }
  return { served, all: Promise.all(callers).then(() => undefined) };
}

/** The head of the queue leaves by `leave`; the next caller is served at once. */
async function ghost(
  context: ContractContext,
  withinMs: number,
  leave: (peer: Bedrock, backend: FaultyBackend, abort: () => void) => void,
): Promise<void> {
  const [holder, behind] = [await context.peer(), await context.peer()];
  const held = await context.lock(holder).acquire();
  const backend = new FaultyBackend(await context.harness.backend());
  const leaving = context.bedrockOn(backend);
  const controller = new AbortController();
  const { signal } = controller;
  const forsaken = assert.rejects(context.lock(leaving).acquire({ signal, waitMs: 20_000 }));
  await context.waiting(leaving, 1);
  const next = context.lock(behind).acquire();
  await context.waiting(behind, 1);
  leave(leaving, backend, () => controller.abort());
  const lease: Lease = await context.within('the hand-over', withinMs, async () => {
    await held.release();
    return next;
  });
  await lease.release();
  await leaving.close();
  await forsaken;
}

export const arrival: ContractGroup = {
  'is kept across processes, caller by caller': async (context) => {
    const [a, b, c] = [await context.peer(), await context.peer(), await context.peer()];
    const held = await context.lock(a).acquire();
    const { served, all } = await lineUp(context, [b, a, c, b, b, a, c, a]);
    await held.release();
    await all;
    assert.deepEqual(served, [...served.keys()]);
    await context.becomesEmpty();
  },

  'is kept when a waiter in the middle leaves': async (context) => {
    const [a, b] = [await context.peer(), await context.peer()];
    const held = await context.lock(a).acquire();
    const { served, all } = await lineUp(context, [b, a]);
    const controller = new AbortController();
    const left = assert.rejects(context.lock(b).acquire({ signal: controller.signal }));
    await context.waiting(b, 2);
    const later = await lineUp(context, [a, b]);
    controller.abort();
    await left;
    await held.release();
    await Promise.all([all, later.all]);
    assert.deepEqual(
      [served, later.served],
      [
        [0, 1],
        [0, 1],
      ],
    );
    await context.becomesEmpty();
  },

  'passes over waiters that gave up, that closed and, after a second, that died': async (context) => {
    await ghost(context, PROMPT_MS, (_peer, _backend, abort) => abort());
    await ghost(context, PROMPT_MS, (peer) => void peer.close());
    // The life of a silent head, plus the sweep of the next one.
    await ghost(context, 1_000 + 900 + PROMPT_MS, (_peer, backend) => backend.cutOff());
  },

  'decides who comes next when an operator revokes the lock or frees it': async (context) => {
    const [a, b, c] = [await context.peer(), await context.peer(), await context.peer()];
    const operator = context.lock(await context.peer());
    const revoked = await context.lock(a).acquire({ leaseMs: 3_000 });
    const first = await lineUp(context, [b, c, b]);
    assert.equal(await operator.revoke(), true);
    assert.deepEqual(
      (await operator.inspect()).map((view) => [revoked.id.startsWith(view.id), view.revoked]),
      [[true, true]],
    );
    assert.deepEqual([revoked.isHeld, first.served], [true, []], 'within the promise: not before its end');
    await first.all;
    assert.ok(context.now() >= revoked.validUntil);
    assert.deepEqual([first.served, revoked.isHeld], [[0, 1, 2], false]);
    const freed = await context.lock(a).acquire({ leaseMs: 20_000 });
    const next = await lineUp(context, [c, b]);
    await context.within('the hand-overs', PROMPT_MS, async () => {
      assert.equal(await operator.forceRelease(), true);
      await next.all;
    });
    assert.deepEqual(next.served, [0, 1]);
    assert.equal(await freed.release(), 'lost');
    await context.becomesEmpty();
  },

  'refuses a caller that only tries while others wait': async (context) => {
    const [a, b, c] = [await context.peer(), await context.peer(), await context.peer()];
    const held = await context.lock(a).acquire();
    const next = context.lock(b).acquire();
    await context.waiting(b, 1);
    assert.equal(await context.lock(c).tryAcquire(), null);
    await held.release();
    await (await next).release();
  },
};
