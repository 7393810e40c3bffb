import type { Mutex } from 'bedrock-lock';
import { setTimeout as sleep } from 'node:timers/promises';

/** A caller in another application that tries for the lock again and again. */
export class Contender {
  /** Number of refusals. */
  refused = 0;
  /** When it got the lock, in ms of the monotonic clock. */
  gotInAt: number | undefined;
  readonly #lock: Mutex;
  readonly #everyMs: number;
  #isDone = false;

  constructor(lock: Mutex, everyMs: number) {
    this.#lock = lock;
    this.#everyMs = everyMs;
  }

  /** Tries until it has held the lock once, or is stopped. */
  async try(): Promise<void> {
    while (!this.#isDone && this.gotInAt === undefined) {
      const lease = await this.#lock.tryAcquire();
      if (lease === null) {
        this.refused += 1;
        await sleep(this.#everyMs);
      } else {
        this.gotInAt = performance.now();
        await lease.release();
      }
    }
  }

  stop(): void {
    this.#isDone = true;
  }
}
