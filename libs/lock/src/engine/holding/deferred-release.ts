import { outsideOfCallers } from '../../core/context.js';
import type { ReleaseOutcome } from '../../core/events.js';

const DEFERRED: Promise<ReleaseOutcome> = Promise.resolve('deferred');

/** The release of a lease that waits for promises: it happens when the last of them has settled. */
export class DeferredRelease {
  #open = 0;
  #isDue = false;

  constructor(private readonly release: () => void) {}

  /** However it settles: a transaction that was rolled back is over too. */
  add(work: PromiseLike<unknown>): void {
    this.#open += 1;
    const settled = (): void => outsideOfCallers(() => this.#settled());
    work.then(settled, settled);
  }

  /** The release has its time. Undefined when nothing keeps it. */
  defer(): Promise<ReleaseOutcome> | undefined {
    if (this.#open === 0) return undefined;
    this.#isDue = true;
    return DEFERRED;
  }

  #settled(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#isDue) this.release();
  }
}
