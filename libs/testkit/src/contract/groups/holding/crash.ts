import assert from 'node:assert/strict';
import { FaultyBackend } from '../../../faults/faulty-backend.js';
import type { ContractGroup } from '../../context/contract-group.js';

export const crash: ContractGroup = {
  'keeps the lock until its lease ends, and no longer than a second more': async (context) => {
    const leaseMs = 1_000;
    const peer = await context.peer();
    await context.warm(peer);
    const next = context.lock(peer);
    const { history } = await context.runContenders([{ crashAt: 1, lock: { leaseMs } }]);
    const dead = history.find((event) => event.kind === 'acquired')!;
    const elapsedMs = context.sharedNow() - dead.at;
    const lease = await context.liveness.within('the lock', leaseMs + 1_000, () => next.acquire(), {
      elapsedMs,
    });
    const at = context.sharedNow();
    assert.ok(at >= dead.validUntil, `taken ${dead.validUntil - at} ms before the lease had ended`);
    assert.ok(lease.token > dead.token);
  },

  'does not keep the line when it dies while it waits': async (context) => {
    const [holder, peer] = [await context.peer(), await context.peer()];
    const held = await context.lock(holder).acquire();
    const backend = new FaultyBackend(await context.harness.backend());
    const dying = context.bedrockOn(backend);
    const forsaken = assert.rejects(context.lock(dying).acquire());
    await context.waiting(dying, 1);
    const next = context.lock(peer).acquire();
    await context.waiting(peer, 1);
    backend.cutOff();
    await context.within('the hand-over past the dead', 2_000, async () => {
      await held.release();
      await next;
    });
    await dying.close();
    await forsaken;
  },
};
