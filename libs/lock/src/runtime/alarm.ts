import type { Clock } from '../core/clock.js';
import { onAbort } from './abort-listeners.js';

/** A sleep that a wake ends; a wake that comes while nobody sleeps ends the next one. */
export class Alarm {
  #isRung = false;
  #resume: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  get isRung(): boolean {
    return this.#isRung;
  }

  /** Forgets the wakes so far. */
  reset(): void {
    this.#isRung = false;
  }

  readonly ring = (): void => {
    this.#isRung = true;
    this.#resume?.();
  };

  /** Resolves after `ms` or at a wake, whichever is first. */
  sleep(ms: number): Promise<void> {
    if (this.#isRung) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = (): void => {
        this.#resume = undefined;
        this.clock.clearTimer(timer);
        resolve();
      };
      const timer = this.clock.setTimer(resume, ms);
      this.#resume = resume;
    });
  }
}

/** Resolves after `ms`, or when one of the signals aborts. */
export async function pause(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  const alarm = new Alarm(clock);
  if (signals.some(({ aborted }) => aborted)) return;
  const removals = signals.map((signal) => onAbort(signal, alarm.ring));
  await alarm.sleep(ms);
  for (const remove of removals) remove();
}
