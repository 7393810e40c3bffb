import type { RunningServer, ServerSource } from './running-server.js';

/** Says that a server cannot come from here, so that the next place is tried. */
export class NotHere extends Error {}

/** One place that a server may come from; throws `NotHere` when it has none. */
export interface Attempt {
  readonly source: ServerSource;
  start(): Promise<RunningServer>;
}

/**
 * Starts a server from the first place that has one. A server that was found and fails to start is an error
 * at once: falling through would hide it.
 * @throws one error that lists every place with its reason; a test never skips because a server is missing
 */
export async function startFromFirst(
  name: string,
  attempts: readonly Attempt[],
  advice: string,
): Promise<RunningServer> {
  const tried: string[] = [];
  for (const attempt of attempts) {
    try {
      return await attempt.start();
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
      tried.push(`  - ${attempt.source}: ${error.message}`);
    }
  }
  throw new Error(`No ${name} server could be found. Tried:\n${tried.join('\n')}\n${advice}`);
}
