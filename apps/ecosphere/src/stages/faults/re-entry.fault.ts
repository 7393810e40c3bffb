import { NotAdmittedError } from '../not-admitted.error.js';
import type { Finding, Trial } from '../trial.js';

/** The holder calls a function that acquires the same lock. Does it get in, or wait for itself? */
export async function reEntry(trial: Trial): Promise<Finding> {
  const { leaseMs, timeoutMs } = trial;
  const lock = trial.lock();
  // Connected before the clock runs.
  await lock.run(async () => undefined, timeoutMs);
  const startedAt = performance.now();
  try {
    const enteredAt = await lock.run(() => lock.run(async () => performance.now(), leaseMs / 2), timeoutMs);
    // On a slow server the nested call may have waited until the lease of its caller ended.
    const isMissed = enteredAt - startedAt >= leaseMs;
    return { isBroken: false, isMissed, seen: 'the nested call entered at once' };
  } catch (error) {
    if (!(error instanceof NotAdmittedError)) throw error;
    return { isBroken: true, seen: 'the nested call waited for its own caller' };
  }
}
