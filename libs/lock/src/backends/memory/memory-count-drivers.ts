import type { Counter } from '../../core/ports/counting.js';
import type { CounterDriver, PermitDriver, Unsubscribe } from '../../core/ports/ports.js';
import type { MemoryCountStore } from './memory-count-store.js';

/** One "process" on a store, for latches and semaphores. */
export class MemoryCountDrivers {
  readonly counters: CounterDriver = {
    read: async ({ resource }) => this.#counts.read(resource),
    create: async (counter, value, operation) => this.#counts.create(counter, value, operation),
    add: async (counter, delta, operation) => this.#counts.add(counter, delta, operation),
    clear: async (counter, operation) => this.#counts.clear(counter, operation),
    take: async (resource, requests, operation) => this.#counts.take(resource, requests, operation),
    undo: async (resource, requests, operation) => this.#counts.undo(resource, requests, operation),
    watch: async ({ kind, resource }, wake) => this.#watch(kind, resource, wake),
  };

  readonly permits: PermitDriver = {
    available: async (resource) => this.#counts.read(resource),
    create: async (resource, permits, operation) =>
      this.#counts.create({ kind: 'semaphore', resource }, permits, operation),
    take: async (resource, requests, operation) => this.#counts.takePermits(resource, requests, operation),
    extend: async (resource, id, leaseMs, operation) =>
      this.#counts.extendPermit(resource, id, leaseMs, operation),
    release: async (resource, ids, operation) => this.#counts.releasePermits(resource, ids, operation),
    watch: async (resource, wake) => this.#watch('semaphore', resource, wake),
  };

  readonly #watches = new Set<Unsubscribe>();

  constructor(
    private readonly store: MemoryCountStore,
    private readonly assertOpen: () => void,
  ) {}

  close(): void {
    for (const stop of this.#watches) stop();
  }

  get #counts(): MemoryCountStore {
    this.assertOpen();
    return this.store;
  }

  #watch(kind: Counter['kind'], resource: string, wake: () => void): Unsubscribe {
    const leave = this.#counts.watch(kind, resource, wake);
    const stop = (): void => {
      leave();
      this.#watches.delete(stop);
    };
    this.#watches.add(stop);
    return stop;
  }
}
