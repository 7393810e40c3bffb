import { Contender } from './contender.js';
import type { Assignment } from './messages.js';

/** Starts a contender for each assignment, passes them to `work`, and ensures that all have ended afterwards. */
export async function withContenders<A, T>(
  assignments: readonly Assignment[],
  work: (contenders: readonly Contender<A>[]) => Promise<T>,
): Promise<T> {
  const contenders = assignments.map((assignment) => new Contender<A>(assignment));
  try {
    return await work(contenders);
  } finally {
    await Promise.all(contenders.map((contender) => contender.end()));
  }
}

/** Starts all once all are ready; returns their measurements. */
export function accountsOf<A>(assignments: readonly Assignment[]): Promise<A[]> {
  return withContenders<A, A[]>(assignments, async (contenders) => {
    await Promise.all(contenders.map((contender) => contender.receive()));
    for (const contender of contenders) contender.send('go');
    return Promise.all(contenders.map((contender) => contender.account()));
  });
}
