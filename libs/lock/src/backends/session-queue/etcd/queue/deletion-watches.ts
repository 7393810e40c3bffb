import type { EtcdEntry } from './etcd-entry.js';
import type { EtcdWatches } from './etcd-watches.js';

/**
 * Announces that entries are gone, with one watch for each entry, for any number of waiters and
 * requests. The watches of ZooKeeper are no twin: they belong to a session, end with it, and fire
 * once. These survive a lost stream.
 */
export class EtcdDeletionWatches {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly watches: EtcdWatches) {}

  onDeleted({ location, key, readRevision }: EtcdEntry, wake: () => void): void {
    const waiting = this.#waiting.get(location);
    if (waiting !== undefined) return void waiting.add(wake);
    const wakers = new Set([wake]);
    this.#waiting.set(location, wakers);
    const stop = this.watches.add({
      key,
      startRevision: readRevision + 1,
      deleteOnly: true,
      onEvent: () => {
        stop();
        this.#waiting.delete(location);
        for (const each of wakers) each();
      },
    });
  }
}
