import { NotAdmittedError } from '../not-admitted.error.js';
import type { Finding, Trial } from '../trial.js';

/** The holder calls a function that acquires the same lock. Does it get in, or wait for itself? */
export async function reEntry(trial: Trial): Promise<Finding> {
  const { leaseMs, timeoutMs } = trial;
  const lock = trial.lock();
  try {
    await lock.run(() => lock.run(async () => undefined, leaseMs / 2), timeoutMs);
    return { isBroken: false, seen: 'the nested call entered at once' };
  } catch (error) {
    if (!(error instanceof NotAdmittedError)) throw error;
    return { isBroken: true, seen: 'the nested call waited for its own caller' };
  }
}
