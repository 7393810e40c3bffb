import assert from 'node:assert/strict';
import { BackendUnavailableError } from 'bedrock-lock';
import type { ContractTheme } from '../../context/contract-theme.js';

/** A hand-over that needed no sweep to be noticed, with slack for a busy machine. */
const PROMPT_MS = 500;

export const closing: ContractTheme = {
  'waits for the holder, who releases in good order': async (stage) => {
    const [peer, other] = [await stage.peer(), await stage.peer()];
    const lock = stage.lock(peer);
    let closed: Promise<void> | undefined;
    const done = lock.run(async (lease) => {
      closed = peer.close({ graceMs: 5_000 });
      await stage.pass(50);
      assert.equal(lease.isHeld, true);
      return 'done';
    });
    assert.equal(await done, 'done');
    await closed;
    const next = await stage.within('the hand-over', PROMPT_MS, () => stage.lock(other).acquire());
    assert.equal(await next.release(), 'released');
  },

  'ends the lease of a holder that takes longer than the grace': async (stage) => {
    const [peer, other] = [await stage.peer(), await stage.peer()];
    const held = stage
      .lock(peer)
      .run((lease) => new Promise((resolve) => lease.signal.addEventListener('abort', resolve)));
    const lost = assert.rejects(held, { code: 'LOCK_LOST', reason: 'closed' });
    await stage.eventually('it holds', () => peer.stats().holds === 1);
    await peer.close({ graceMs: 50 });
    await lost;
    await stage.within('the hand-over', PROMPT_MS, () => stage.lock(other).run(() => undefined));
  },

  'rejects those who wait, and those who come later': async (stage) => {
    const [one, peer] = [await stage.peer(), await stage.peer()];
    const lease = await stage.lock(one).acquire();
    const lock = stage.lock(peer);
    const waiters = [1, 2, 3].map(() => assert.rejects(lock.acquire(), { code: 'LOCK_CLOSED' }));
    await stage.waiting(peer, 3);
    await Promise.all([peer.close(), peer.close()]);
    await Promise.all(waiters);
    await assert.rejects(lock.acquire(), { code: 'LOCK_CLOSED' });
    await assert.rejects(lock.tryAcquire(), { code: 'LOCK_CLOSED' });
    assert.throws(() => peer.mutex('another'), { code: 'LOCK_CLOSED' });
    assert.equal(peer.isClosed, true);
    assert.equal(lease.isHeld, true);
  },

  'makes every verb of the backend unavailable': async (stage) => {
    const backend = await stage.backend();
    const claim = stage.claim(backend);
    await backend.close();
    const { leases } = backend;
    const verbs = [
      () => leases.claim(claim),
      () => leases.renew([{ ...claim, keepMs: 0 }]).then(rejectUnknown),
      () => leases.withdraw(claim, { keepMs: 0, leaveQueue: true }),
      () => leases.inspect(stage.resource, stage.shape),
      () => leases.revoke(stage.resource, stage.shape, 'now'),
      () => leases.watch(stage.resource, stage.shape, () => undefined),
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
