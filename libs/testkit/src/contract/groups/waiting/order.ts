import assert from 'node:assert/strict';
import type { Timing } from '../../../liveness/liveness.js';
import type { ContractGroup } from '../../context/contract-group.js';

export const order: ContractGroup = {
  'serves the callers of one process in the order of their arrival': async (context) => {
    const [holder, peer] = [await context.peer(), await context.peer()];
    const held = await context.lock(holder).acquire();
    const count = 20;
    const lock = context.lock(peer, { waitMs: context.waitMs(count) });
    const served: number[] = [];
    const callers = Array.from({ length: count }, async (_, i) => {
      const lease = await lock.acquire();
      served.push(i);
      await lease.release();
    });
    await context.waiting(peer, count);
    await held.release();
    await Promise.all(callers);
    assert.deepEqual(served, [...served.keys()]);
  },

  'tells a waiting process at once when the lock is free': async (context) => {
    const locks = [await context.peer(), await context.peer()].map((peer) => ({
      peer,
      lock: context.lock(peer),
    }));
    const times: Timing[] = [];
    let held = await locks[0]!.lock.acquire();
    for (let i = 1; i <= 11; i += 1) {
      const { peer, lock } = locks[i % 2]!;
      const next = lock.acquire();
      await context.waiting(peer, 1);
      times.push(
        await context.liveness.time(async () => {
          void held.release();
          held = await next;
        }),
      );
    }
    await held.release();
    context.liveness.assertMedian('the median hand-over between processes', context.handOverMs, times);
  },

  'serves the process that has waited longest': async (context) => {
    const peers = [await context.peer(), await context.peer(), await context.peer(), await context.peer()];
    const held = await context.lock(peers[0]!).acquire();
    const served: number[] = [];
    const callers: Promise<void>[] = [];
    for (const [i, peer] of peers.entries()) {
      if (i === 0) continue;
      callers.push(
        context.lock(peer).run(() => {
          served.push(i);
        }),
      );
      await context.waiting(peer, 1);
    }
    await held.release();
    await Promise.all(callers);
    assert.deepEqual(served, [1, 2, 3]);
  },
};
