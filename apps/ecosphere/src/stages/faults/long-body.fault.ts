import { atMost, Presence } from '../presence.js';
import { isToldOfLoss } from '../told-of-loss.js';
import type { Finding, Trial } from '../trial.js';

/** A works for two and a half leases. Does B get in meanwhile? */
export async function longBody(trial: Trial): Promise<Finding> {
  const { leaseMs, timeoutMs } = trial;
  const presence = new Presence();
  const [a, b] = [trial.lock(), trial.lock()];
  const aDone = isToldOfLoss(
    a.run(() => presence.during('A', () => atMost(2.5 * leaseMs, presence.arrival('B'))), timeoutMs),
  );
  await Promise.race([presence.arrival('A'), aDone]);
  await Promise.all([aDone, b.run(() => presence.during('B', async () => undefined), timeoutMs)]);
  const isBroken = presence.haveMet('A', 'B');
  return {
    isBroken,
    seen: isBroken ? 'the lease ended: A and B were inside together' : 'B had to wait for A',
  };
}
