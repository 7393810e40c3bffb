import assert from 'node:assert/strict';
import type { Bedrock, Lease } from 'bedrock-lock';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** A hand-over noticed without the sweep, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;

const POSITIONS = ['head', 'middle', 'tail'] as const;
const WAYS = { timeout: 'LOCK_WAIT_TIMEOUT', abort: 'LOCK_ABORTED' } as const;

async function leaveFrom(context: ContractContext, position: number, way: keyof typeof WAYS): Promise<void> {
  const [holder, peer] = [await context.peer(), await context.peer()];
  const held = await context.lock(holder).acquire();
  const controller = new AbortController();
  const isLeaving = (i: number): boolean => i === position;
  const callers = Array.from({ length: 3 }, (_, i) =>
    context.lock(peer).acquire({
      waitMs: way === 'timeout' && isLeaving(i) ? 400 : 20_000,
      ...(way === 'abort' && isLeaving(i) && { signal: controller.signal }),
    }),
  );
  const leaver = assert.rejects(callers[position]!, { code: WAYS[way] });
  if (way === 'abort') {
    await context.waiting(peer, 3);
    controller.abort();
  }
  await leaver;
  assert.equal(peer.stats().waiters, 2);
  await held.release();
  await allPromptly(
    context,
    callers.filter((_, i) => !isLeaving(i)),
  );
  await context.becomesEmpty();
}

/** In any order: a caller whose process or backend was silent for a second may be passed over. */
async function allPromptly(context: ContractContext, callers: readonly Promise<Lease>[]): Promise<void> {
  const waiting = new Set(callers);
  const nextServed = (): Promise<readonly [Promise<Lease>, Lease]> =>
    Promise.race([...waiting].map(async (caller) => [caller, await caller] as const));
  while (waiting.size > 0) {
    const [caller, lease] = await context.within('the hand-over', PROMPT_MS, nextServed);
    waiting.delete(caller);
    await lease.release();
  }
}

async function promptly(context: ContractContext, caller: Promise<Lease>): Promise<void> {
  const lease = await context.within('the hand-over', PROMPT_MS, () => caller);
  await lease.release();
}

/** A waiter of a peer leaves by `leave`, and the next process must not notice. */
async function leaveTheLine(
  context: ContractContext,
  leave: (peer: Bedrock, abort: () => void) => void,
): Promise<void> {
  const [holder, peer, behind] = [await context.peer(), await context.peer(), await context.peer()];
  const held = await context.lock(holder).acquire();
  const controller = new AbortController();
  const { signal } = controller;
  const left = assert.rejects(context.lock(peer).acquire({ signal }));
  await context.waiting(peer, 1);
  const next = context.lock(behind).acquire();
  await context.waiting(behind, 1);
  leave(peer, () => controller.abort());
  await left;
  await held.release();
  await promptly(context, next);
  await context.becomesEmpty();
}

export const cancelling: ContractGroup = {
  ...Object.fromEntries(
    POSITIONS.flatMap((position, i) =>
      (['timeout', 'abort'] as const).map((way) => [
        `may be the ${position} of their queue, and leave by ${way}, without delaying the others`,
        (context: ContractContext) => leaveFrom(context, i, way),
      ]),
    ),
  ),

  'take their process out of the line when they were its last': (context) =>
    leaveTheLine(context, (_peer, abort) => abort()),

  'take their process out of the line when it closes': (context) =>
    leaveTheLine(context, (peer) => void peer.close()),

  'give back what was granted to them too late': async (context) => {
    const [peer, other] = [await context.peer(), await context.peer()];
    await Promise.all([context.warm(peer), context.warm(other)]);
    const controller = new AbortController();
    const caller = context.lock(peer).acquire({ signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await assert.rejects(caller, (error: Error) => (error.cause as Error).message === 'changed my mind');
    await promptly(context, context.lock(other).acquire());
    await context.becomesEmpty();
  },
};
