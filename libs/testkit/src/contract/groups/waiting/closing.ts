import assert from 'node:assert/strict';
import { BackendUnavailableError } from 'bedrock-lock';
import type { ContractGroup } from '../../context/contract-group.js';

/** A hand-over noticed without the sweep, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;

export const closing: ContractGroup = {
  'waits for the holder, who releases in good order': async (context) => {
    const [peer, other] = [await context.peer(), await context.peer()];
    await context.warm(other);
    const lock = context.lock(peer);
    let closed: Promise<void> | undefined;
    const done = lock.run(async (lease) => {
      closed = peer.close({ graceMs: 5_000 });
      await context.sleep(50);
      assert.equal(lease.isHeld, true);
      return 'done';
    });
    assert.equal(await done, 'done');
    await closed;
    const next = await context.within('the hand-over', PROMPT_MS, () => context.lock(other).acquire());
    assert.equal(await next.release(), 'released');
  },

  'ends the lease of a holder that takes longer than the grace': async (context) => {
    const [peer, other] = [await context.peer(), await context.peer()];
    await context.warm(other);
    const held = context
      .lock(peer)
      .run((lease) => new Promise((resolve) => lease.signal.addEventListener('abort', resolve)));
    const lost = assert.rejects(held, { code: 'LOCK_LOST', reason: 'closed' });
    await context.eventually('it holds', () => peer.stats().holds === 1);
    await peer.close({ graceMs: 50 });
    await lost;
    await context.within('the hand-over', PROMPT_MS, () => context.lock(other).run(() => undefined));
  },

  'rejects waiting callers, and later ones': async (context) => {
    const [one, peer] = [await context.peer(), await context.peer()];
    const lease = await context.lock(one).acquire();
    const lock = context.lock(peer);
    const waiters = [1, 2, 3].map(() => assert.rejects(lock.acquire(), { code: 'LOCK_CLOSED' }));
    await context.waiting(peer, 3);
    await Promise.all([peer.close(), peer.close()]);
    await Promise.all(waiters);
    await assert.rejects(lock.acquire(), { code: 'LOCK_CLOSED' });
    await assert.rejects(lock.tryAcquire(), { code: 'LOCK_CLOSED' });
    assert.throws(() => peer.mutex('another'), { code: 'LOCK_CLOSED' });
    assert.equal(peer.isClosed, true);
    assert.equal(lease.isHeld, true);
  },

  'makes every verb of the backend unavailable': async (context) => {
    const backend = await context.backend();
    const claim = context.claim(backend);
    await backend.close();
    const { leases } = backend;
    const verbs = [
      () => leases.claim(claim),
      () => leases.renew([{ ...claim, keepMs: 0 }]).then(rejectUnknown),
      () => leases.withdraw(claim, { keepMs: 0, leaveQueue: true }),
      () => leases.inspect(context.resource, context.shape),
      () => leases.revoke(context.resource, context.shape, 'now'),
      () => leases.watch(context.resource, context.shape, () => undefined),
      () => backend.ready(),
      () => backend.ping(),
    ];
    for (const verb of verbs) await assert.rejects(verb(), BackendUnavailableError);
    leases.annotate(claim, { depth: 2 });
    await backend.close();
  },
};

/** A driver may answer "unknown" per item instead of rejecting the batch. */
function rejectUnknown(outcomes: readonly string[]): void {
  if (outcomes[0] === 'unknown') throw new BackendUnavailableError('', 'no answer', 'unknown');
}
