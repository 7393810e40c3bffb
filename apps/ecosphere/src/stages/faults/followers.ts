import { atMost, type Presence } from '../presence.js';
import type { Trial } from '../trial.js';

/** Outcome for the followers. */
export interface Followers {
  /** True if B and C held the lock together. */
  readonly haveMet: boolean;
  /** True if B got the lock before A had finished its release. */
  readonly wasBFirst: boolean;
}

/**
 * Makes B and C request the lock that A releases: B while A holds it, C when A has finished. B stays inside until A has
 * finished and C had its chance, but for less than a lease.
 */
export async function follow(trial: Trial, presence: Presence, aDone: Promise<unknown>): Promise<Followers> {
  const { leaseMs, timeoutMs } = trial;
  const [b, c] = [trial.lock(), trial.lock()];
  await Promise.race([presence.arrival('A'), aDone]);
  let isADone = false;
  let wasBFirst = false;
  const bDone = b.run(
    () =>
      presence.during('B', async () => {
        wasBFirst = !isADone;
        await aDone;
        await atMost(leaseMs / 3, presence.arrival('C'));
      }),
    timeoutMs,
  );
  const cDone = aDone.then(() => {
    isADone = true;
    return c.run(() => presence.during('C', async () => undefined), timeoutMs);
  });
  await Promise.all([aDone, bDone, cDone]);
  return { haveMet: presence.haveMet('B', 'C'), wasBFirst };
}
