import assert from 'node:assert/strict';
import type { Bedrock, Lease } from 'bedrock-lock';
import { FaultyBackend } from '../../../faults/faulty-backend.js';
import type { ContractTheme } from '../../context/contract-theme.js';
import type { Stage } from '../../context/stage.js';

/** A hand-over that needed no sweep to be noticed, with slack for a busy machine. */
const PROMPT_MS = 500;

/** Lets a caller of each peer wait in turn, in the order of the list, and tells the order in which they are served. */
async function lineUp(
  stage: Stage,
  peers: readonly Bedrock[],
): Promise<{ served: number[]; all: Promise<void> }> {
  const served: number[] = [];
  const callers: Promise<void>[] = [];
  for (const [i, peer] of peers.entries()) {
    const waiting = peer.stats().waiters + 1;
    callers.push(stage.lock(peer).run(() => void served.push(i)));
    await stage.waiting(peer, waiting);
  }
  return { served, all: Promise.all(callers).then(() => undefined) };
}

/** Somebody at the head leaves by `leave`; the next is served at once. */
async function ghost(
  stage: Stage,
  withinMs: number,
  leave: (peer: Bedrock, backend: FaultyBackend, abort: () => void) => void,
): Promise<void> {
  const [holder, behind] = [await stage.peer(), await stage.peer()];
  const held = await stage.lock(holder).acquire();
  const backend = new FaultyBackend(await stage.harness.backend());
  const leaving = stage.bedrockOn(backend);
  const controller = new AbortController();
  const { signal } = controller;
  const forsaken = assert.rejects(stage.lock(leaving).acquire({ signal, waitMs: 20_000 }));
  await stage.waiting(leaving, 1);
  const next = stage.lock(behind).acquire();
  await stage.waiting(behind, 1);
  leave(leaving, backend, () => controller.abort());
  const lease: Lease = await stage.within('the hand-over', withinMs, async () => {
    await held.release();
    return next;
  });
  await lease.release();
  await leaving.close();
  await forsaken;
}

export const arrival: ContractTheme = {
  'is kept over processes, caller by caller': async (stage) => {
    const [a, b, c] = [await stage.peer(), await stage.peer(), await stage.peer()];
    const held = await stage.lock(a).acquire();
    const { served, all } = await lineUp(stage, [b, a, c, b, b, a, c, a]);
    await held.release();
    await all;
    assert.deepEqual(served, [...served.keys()]);
    await stage.becomesEmpty();
  },

  'is kept when somebody in the middle leaves': async (stage) => {
    const [a, b] = [await stage.peer(), await stage.peer()];
    const held = await stage.lock(a).acquire();
    const { served, all } = await lineUp(stage, [b, a]);
    const controller = new AbortController();
    const left = assert.rejects(stage.lock(b).acquire({ signal: controller.signal }));
    await stage.waiting(b, 2);
    const later = await lineUp(stage, [a, b]);
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
    await stage.becomesEmpty();
  },

  'passes over who gave up, who closed, and, after a second, who died': async (stage) => {
    await ghost(stage, PROMPT_MS, (_peer, _backend, abort) => abort());
    await ghost(stage, PROMPT_MS, (peer) => void peer.close());
    // Life of a silent head, and the sweep of the next.
    await ghost(stage, 1_000 + 900 + PROMPT_MS, (_peer, backend) => backend.cutOff());
  },

  'decides who comes next when an operator revokes the lock or frees it': async (stage) => {
    const [a, b, c] = [await stage.peer(), await stage.peer(), await stage.peer()];
    const operator = stage.lock(await stage.peer());
    const revoked = await stage.lock(a).acquire({ leaseMs: 1.5 * stage.leaseMs });
    const first = await lineUp(stage, [b, c, b]);
    assert.equal(await operator.revoke(), true);
    assert.deepEqual(
      (await operator.inspect()).map((view) => [revoked.id.startsWith(view.id), view.revoked]),
      [[true, true]],
    );
    assert.deepEqual([revoked.isHeld, first.served], [true, []], 'within the promise: not before its end');
    await first.all;
    assert.ok(stage.now() >= revoked.validUntil);
    assert.deepEqual([first.served, revoked.isHeld], [[0, 1, 2], false]);
    const freed = await stage.lock(a).acquire({ leaseMs: 20_000 });
    const next = await lineUp(stage, [c, b]);
    await stage.within('the hand-overs', PROMPT_MS, async () => {
      assert.equal(await operator.forceRelease(), true);
      await next.all;
    });
    assert.deepEqual(next.served, [0, 1]);
    assert.equal(await freed.release(), 'lost');
    await stage.becomesEmpty();
  },

  'keeps out who only tries while others wait': async (stage) => {
    const [a, b, c] = [await stage.peer(), await stage.peer(), await stage.peer()];
    const held = await stage.lock(a).acquire();
    const next = stage.lock(b).acquire();
    await stage.waiting(b, 1);
    assert.equal(await stage.lock(c).tryAcquire(), null);
    await held.release();
    await (await next).release();
  },
};
