import { liveness, sharedNow, type Timing, type WithinOptions } from 'bedrock-testkit';

const ROUNDS = 9;
/** Shorter than the sweep of any Bedrock waiter, in ms: a waiter served sooner got a message. */
const TOLD_MS = 500;

/** The result of a hand-over by a message. @throws AssertionError if it took too long for one */
export function byMessage<T>(what: string, act: () => Promise<T>, options?: WithinOptions): Promise<T> {
  return liveness.within(what, TOLD_MS, act, options);
}

/** When it resolved, and with what. */
export async function stamped<T>(work: Promise<T>): Promise<{ readonly value: T; readonly at: number }> {
  const value = await work;
  return { value, at: sharedNow() };
}

/**
 * Several hand-overs, each measured by `once` in ms from the release to the grant; the test judges their median.
 * @param rounds odd, so that there is one in the middle
 */
export async function handOvers(once: () => Promise<number>, rounds = ROUNDS): Promise<readonly Timing[]> {
  const timings: Timing[] = [];
  for (let round = 0; round < rounds; round++) {
    let tookMs = 0;
    const { to } = await liveness.time(async () => {
      tookMs = await once();
    });
    timings.push({ from: to - tookMs, to });
  }
  return timings;
}
