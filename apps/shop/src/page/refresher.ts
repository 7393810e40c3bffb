import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Does its work soon after a request: at once when idle, one run at a time, and at most every `everyMs`. Requests
 * during a run cause one more run, so the last change is never missed.
 */
export class Refresher {
  readonly #work: () => Promise<void>;
  readonly #everyMs: number;
  #isDue = false;
  #isRunning = false;

  /** @param work must not reject */
  constructor(everyMs: number, work: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  ask(): void {
    this.#isDue = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isDue) {
      this.#isDue = false;
      await this.#work();
      await sleep(this.#everyMs, undefined, { ref: false });
    }
    this.#isRunning = false;
  }
}
