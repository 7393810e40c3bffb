import { Bedrock } from 'bedrock-lock';
import { systemClock } from 'bedrock-lock/integration';
import { median } from '../../liveness/median.js';
import type { ContractHarness } from './contract-harness.js';

/**
 * Contender runs have their full size if a hand-over between two processes takes at most this long, in ms, as with
 * Redis on a shared machine.
 */
const QUICK_MS = 2;
const SAMPLES = 9;
/** The smallest scale: below it, no contention occurs. */
const MIN_SCALE = 0.1;

/**
 * The scale of runs, as a share of the full size. It depends on the duration of a hand-over, so that each run takes a
 * similar time.
 */
export async function contenderScale(harness: ContractHarness): Promise<number> {
  const { clock = systemClock } = harness;
  const peers = await Promise.all(
    [1, 2].map(
      async () => new Bedrock({ backend: await harness.backend(), clock, defaults: { leaseMs: 5_000 } }),
    ),
  );
  try {
    const resource = harness.freshResource();
    const locks = peers.map((peer) => peer.mutex(resource));
    const times: number[] = [];
    let held = await locks[0]!.acquire();
    for (let i = 1; i <= SAMPLES; i += 1) {
      const from = clock.now();
      const next = locks[i % 2]!.acquire();
      await held.release();
      held = await next;
      times.push(clock.now() - from);
    }
    await held.release();
    return Math.min(1, Math.max(MIN_SCALE, QUICK_MS / median(times)));
  } finally {
    await Promise.all(peers.map((peer) => peer.close({ graceMs: 0 })));
  }
}
