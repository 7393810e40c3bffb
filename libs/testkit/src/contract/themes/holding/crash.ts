import assert from 'node:assert/strict';
import { FaultyBackend } from '../../../faults/faulty-backend.js';
import type { ContractTheme } from '../../context/contract-theme.js';

export const crash: ContractTheme = {
  'keeps the lock until its lease ends, and no longer than a second more': async (stage) => {
    const leaseMs = 1_000;
    const next = stage.lock(await stage.peer());
    const { history } = await stage.crowd([{ crashAt: 1, lock: { leaseMs } }]);
    const dead = history.find((event) => event.kind === 'acquired')!;
    const lease = await next.acquire();
    const at = stage.sharedNow();
    assert.ok(at >= dead.validUntil, `taken ${dead.validUntil - at} ms before the lease had ended`);
    assert.ok(at <= dead.at + leaseMs + 1_000, `only free ${at - dead.at} ms after the grant`);
    assert.ok(lease.token > dead.token);
  },

  'does not keep the line when it dies while it waits': async (stage) => {
    const [holder, peer] = [await stage.peer(), await stage.peer()];
    const held = await stage.lock(holder).acquire();
    const backend = new FaultyBackend(await stage.harness.backend());
    const dying = stage.bedrockOn(backend);
    const forsaken = assert.rejects(stage.lock(dying).acquire());
    await stage.waiting(dying, 1);
    const next = stage.lock(peer).acquire();
    await stage.waiting(peer, 1);
    backend.cutOff();
    await stage.within('the hand-over past the dead', 2_000, async () => {
      await held.release();
      await next;
    });
    await dying.close();
    await forsaken;
  },
};
