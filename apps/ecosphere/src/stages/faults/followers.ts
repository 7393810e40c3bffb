import { atMost, type Presence } from '../presence.js';
import type { Trial } from '../trial.js';

/** What came of it. */
export interface Followers {
  /** B and C were inside together. */
  readonly haveMet: boolean;
  /** B got in before A was done with giving back. */
  readonly wasBFirst: boolean;
}

/**
 * Lets B and C ask for the lock that A gives back: B while A has it, C when A is done. B stays inside until A is done and
 * C had its chance, but for less than a lease.
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
