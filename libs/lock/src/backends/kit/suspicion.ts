import type { Unsubscribe } from '../../core/ports/ports.js';

/** Told which resource's grants may have been taken away; undefined: those of all. */
export type SuspectListener = (resource: string | undefined) => void;

/** Tells listeners when grants should be verified now. */
export class Suspicion {
  readonly #listeners = new Set<SuspectListener>();

  readonly onSuspect = (listener: SuspectListener): Unsubscribe => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly report: SuspectListener = (resource) => {
    for (const listener of this.#listeners) listener(resource);
  };
}
