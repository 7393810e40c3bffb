import { sleep, stayAlive, type Clock } from '../core/clock.js';

/** `ready()` waits this many times `operationTimeoutMs`, since a server may just be starting. */
export const READY_TIMEOUTS = 5;
/** Pause before a server that does not serve is asked again, in ms. */
const PAUSE_MS = 50;

export interface UntilServingDeps {
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
  /** True when asking again cannot help. */
  readonly isFinal: (error: unknown) => boolean;
}

/**
 * Asks a server that may just be starting again and again until it answers. The process stays alive
 * meanwhile: between two tries it may have no connection, and Node would end in the middle of the
 * `await`. UntilConfirmed does not fit: a question changes nothing, and it is asked at an even pace.
 * @throws the last error
 */
export async function untilServing(deps: UntilServingDeps, ask: () => Promise<unknown>): Promise<void> {
  const letGo = stayAlive();
  try {
    await untilAnswered(deps, ask);
  } finally {
    letGo();
  }
}

async function untilAnswered(
  { clock, operationTimeoutMs, isFinal }: UntilServingDeps,
  ask: () => Promise<unknown>,
): Promise<void> {
  const until = clock.now() + operationTimeoutMs * READY_TIMEOUTS;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (isFinal(error) || clock.now() + PAUSE_MS >= until) throw error;
    }
    await sleep(clock, PAUSE_MS);
  }
}
