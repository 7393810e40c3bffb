import type { Clock } from '../core/clock.js';
import { onAbort } from './abort-listeners.js';

/** A sleep that a wake ends; a wake that comes between two sleeps ends the next one. */
export class WakeableSleep {
  #isWoken = false;
  #resume: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  get isWoken(): boolean {
    return this.#isWoken;
  }

  /** Forgets the wakes so far. */
  reset(): void {
    this.#isWoken = false;
  }

  readonly wake = (): void => {
    this.#isWoken = true;
    this.#resume?.();
  };

  /** Resolves after `ms` or at a wake, whichever is first. @param keepsAlive as in {@link Clock.setTimer} */
  sleep(ms: number, keepsAlive = false): Promise<void> {
    if (this.#isWoken) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = (): void => {
        this.#resume = undefined;
        this.clock.clearTimer(timer);
        resolve();
      };
      const timer = this.clock.setTimer(resume, ms, keepsAlive);
      this.#resume = resume;
    });
  }
}

/** Resolves after `ms`, or when one of the signals aborts. */
export async function sleepUnlessAborted(
  clock: Clock,
  ms: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  const wakeableSleep = new WakeableSleep(clock);
  if (signals.some(({ aborted }) => aborted)) return;
  const removals = signals.map((signal) => onAbort(signal, wakeableSleep.wake));
  await wakeableSleep.sleep(ms);
  for (const remove of removals) remove();
}
