import type { EtcdPlace } from './etcd-place.js';
import type { EtcdWatches } from './etcd-watches.js';

/** Who wants to hear when places are gone: one watch for each place, however many wait for it and however often they ask. */
export class Departures {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly watches: EtcdWatches) {}

  whenGone({ at, key, seen }: EtcdPlace, wake: () => void): void {
    const waiting = this.#waiting.get(at);
    if (waiting !== undefined) return void waiting.add(wake);
    const wakes = new Set([wake]);
    this.#waiting.set(at, wakes);
    const stop = this.watches.add({
      key,
      from: seen + 1,
      onlyItsEnd: true,
      onEvent: () => {
        stop();
        this.#waiting.delete(at);
        for (const each of wakes) each();
      },
    });
  }
}
