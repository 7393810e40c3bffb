import assert from 'node:assert/strict';
import type { Timing } from '../../../liveness/liveness.js';
import type { ContractTheme } from '../../context/contract-theme.js';

export const order: ContractTheme = {
  'serves the callers of one process in the order of their arrival': async (stage) => {
    const [holder, peer] = [await stage.peer(), await stage.peer()];
    const held = await stage.lock(holder).acquire();
    const lock = stage.lock(peer);
    const served: number[] = [];
    const callers = Array.from({ length: 20 }, async (_, i) => {
      const lease = await lock.acquire();
      served.push(i);
      await lease.release();
    });
    await stage.waiting(peer, 20);
    await held.release();
    await Promise.all(callers);
    assert.deepEqual(served, [...served.keys()]);
  },

  'tells a waiting process at once when the lock is free': async (stage) => {
    const locks = [await stage.peer(), await stage.peer()].map((peer) => ({
      peer,
      lock: stage.lock(peer),
    }));
    const times: Timing[] = [];
    let held = await locks[0]!.lock.acquire();
    for (let i = 1; i <= 11; i += 1) {
      const { peer, lock } = locks[i % 2]!;
      const next = lock.acquire();
      await stage.waiting(peer, 1);
      times.push(
        await stage.liveness.time(async () => {
          void held.release();
          held = await next;
        }),
      );
    }
    await held.release();
    stage.liveness.judge('the median hand-over between processes', stage.handOverMs, times);
  },

  'serves the process that has waited longest': async (stage) => {
    const peers = [await stage.peer(), await stage.peer(), await stage.peer(), await stage.peer()];
    const held = await stage.lock(peers[0]!).acquire();
    const served: number[] = [];
    const callers: Promise<void>[] = [];
    for (const [i, peer] of peers.entries()) {
      if (i === 0) continue;
      callers.push(
        stage.lock(peer).run(() => {
          served.push(i);
        }),
      );
      await stage.waiting(peer, 1);
    }
    await held.release();
    await Promise.all(callers);
    assert.deepEqual(served, [1, 2, 3]);
  },
};
