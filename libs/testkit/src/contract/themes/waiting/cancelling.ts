import assert from 'node:assert/strict';
import type { Bedrock, Lease } from 'bedrock-lock';
import type { ContractTheme } from '../../context/contract-theme.js';
import type { Stage } from '../../context/stage.js';

/** A hand-over that needed no sweep to be noticed, with slack for a busy machine. */
const PROMPT_MS = 500;

const POSITIONS = ['head', 'middle', 'tail'] as const;
const WAYS = { timeout: 'LOCK_WAIT_TIMEOUT', abort: 'LOCK_ABORTED' } as const;

async function leaveFrom(stage: Stage, position: number, way: keyof typeof WAYS): Promise<void> {
  const [holder, peer] = [await stage.peer(), await stage.peer()];
  const held = await stage.lock(holder).acquire();
  const controller = new AbortController();
  const isLeaving = (i: number): boolean => i === position;
  const callers = Array.from({ length: 3 }, (_, i) =>
    stage.lock(peer).acquire({
      waitMs: way === 'timeout' && isLeaving(i) ? 400 : 20_000,
      ...(way === 'abort' && isLeaving(i) && { signal: controller.signal }),
    }),
  );
  const leaver = assert.rejects(callers[position]!, { code: WAYS[way] });
  if (way === 'abort') {
    await stage.waiting(peer, 3);
    controller.abort();
  }
  await leaver;
  assert.equal(peer.stats().waiters, 2);
  await held.release();
  await allPromptly(
    stage,
    callers.filter((_, i) => !isLeaving(i)),
  );
  await stage.becomesEmpty();
}

/** In whatever order: a caller whose process or backend was silent for a second may be passed over. */
async function allPromptly(stage: Stage, callers: readonly Promise<Lease>[]): Promise<void> {
  const waiting = new Set(callers);
  const nextServed = (): Promise<readonly [Promise<Lease>, Lease]> =>
    Promise.race([...waiting].map(async (caller) => [caller, await caller] as const));
  while (waiting.size > 0) {
    const [caller, lease] = await stage.within('the hand-over', PROMPT_MS, nextServed);
    waiting.delete(caller);
    await lease.release();
  }
}

async function promptly(stage: Stage, caller: Promise<Lease>): Promise<void> {
  const lease = await stage.within('the hand-over', PROMPT_MS, () => caller);
  await lease.release();
}

/** Somebody waits in a peer, leaves by `leave`, and the next process must not notice. */
async function leaveTheLine(stage: Stage, leave: (peer: Bedrock, abort: () => void) => void): Promise<void> {
  const [holder, peer, behind] = [await stage.peer(), await stage.peer(), await stage.peer()];
  const held = await stage.lock(holder).acquire();
  const controller = new AbortController();
  const { signal } = controller;
  const left = assert.rejects(stage.lock(peer).acquire({ signal }));
  await stage.waiting(peer, 1);
  const next = stage.lock(behind).acquire();
  await stage.waiting(behind, 1);
  leave(peer, () => controller.abort());
  await left;
  await held.release();
  await promptly(stage, next);
  await stage.becomesEmpty();
}

export const cancelling: ContractTheme = {
  ...Object.fromEntries(
    POSITIONS.flatMap((position, i) =>
      (['timeout', 'abort'] as const).map((way) => [
        `may be the ${position} of their queue, and leave by ${way}, without delaying the others`,
        (stage: Stage) => leaveFrom(stage, i, way),
      ]),
    ),
  ),

  'take their process out of the line when they were its last': (stage) =>
    leaveTheLine(stage, (_peer, abort) => abort()),

  'take their process out of the line when it closes': (stage) =>
    leaveTheLine(stage, (peer) => void peer.close()),

  'give back what was granted to them too late': async (stage) => {
    const [peer, other] = [await stage.peer(), await stage.peer()];
    const controller = new AbortController();
    const caller = stage.lock(peer).acquire({ signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await assert.rejects(caller, (error: Error) => (error.cause as Error).message === 'changed my mind');
    await promptly(stage, stage.lock(other).acquire());
    await stage.becomesEmpty();
  },
};
