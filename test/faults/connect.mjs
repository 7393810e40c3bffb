/** Plain JavaScript, since the contending processes load it too. */
import { clearInterval, setInterval } from 'node:timers';
import { eventually } from 'bedrock-testkit';

/** A process on a machine that has other things to do connects within this time, in ms. */
const CONNECTS_WITHIN_MS = 10_000;

/**
 * Resolves once the backend is connected: the short time-outs of its calls are for the faults, not for the start of
 * its process.
 * @param {{ ready(): Promise<void> }} backend
 * @throws Error with the last reason
 */
export async function connect(backend) {
  let reason;
  // Nothing else keeps a new process alive yet.
  const alive = setInterval(() => undefined, 1_000);
  const isReady = async () => {
    try {
      await backend.ready();
      return true;
    } catch (error) {
      reason = error;
      if (error?.code !== 'BACKEND_UNAVAILABLE') throw error;
      return false;
    }
  };
  try {
    await eventually('the backend is connected', isReady, { withinMs: CONNECTS_WITHIN_MS });
  } catch (error) {
    if (error === reason) throw error;
    throw new Error(`${error.message}: ${reason?.message}`, { cause: error });
  } finally {
    clearInterval(alive);
  }
}
