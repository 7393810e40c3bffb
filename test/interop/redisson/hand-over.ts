import { sharedNow } from 'bedrock-testkit';

/** Odd, so that there is one in the middle. */
const ROUNDS = 9;

/** When it resolved, and with what. */
export async function stamped<T>(work: Promise<T>): Promise<{ readonly value: T; readonly at: number }> {
  const value = await work;
  return { value, at: sharedNow() };
}

/** The median of several hand-overs, each measured by `once` in ms from the release to the grant. */
export async function medianOf(once: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await once());
  return times.sort((a, b) => a - b)[(ROUNDS - 1) / 2]!;
}
