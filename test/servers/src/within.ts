import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks until the answer is neither undefined nor false; a rejection counts as no answer yet.
 * @throws Error naming `what` after `ms`, with the last rejection as its cause
 */
export async function within<T>(
  ms: number,
  what: string,
  ask: () => Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + ms;
  let cause: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${ms} ms`, { cause });
    await sleep(20);
  }
}
