import { atMost, Presence } from '../presence.js';
import { isToldOfLoss } from '../told-of-loss.js';
import type { Finding, Trial } from '../trial.js';
import { follow } from './followers.js';

/**
 * A works until B is inside, which requires that A's lease has ended; then A releases a lock that is no longer its own.
 * Does a third caller get in while B is inside?
 */
export async function foreignDelete(trial: Trial): Promise<Finding> {
  const { leaseMs } = trial;
  const presence = new Presence();
  const turn = trial
    .lock()
    .run(() => presence.during('A', () => atMost(2 * leaseMs, presence.arrival('B'))), trial.timeoutMs);
  const { haveMet: isBroken, wasBFirst } = await follow(trial, presence, isToldOfLoss(turn));
  const kept = wasBFirst ? 'A lost its lease, but B kept its lock' : 'B and C had to wait for A';
  return { isBroken, seen: isBroken ? "A deleted B's lock: B and C were inside together" : kept };
}
