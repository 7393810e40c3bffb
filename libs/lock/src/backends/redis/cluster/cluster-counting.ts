import type { Counter, OperationId, PermitRequest, TakeResult } from '../../../core/ports/counting.js';
import { UnsupportedByBackendError } from '../../../core/errors.js';
import type { CounterDriver, PermitDriver, Unsubscribe } from '../../../core/ports/ports.js';
import { BACKEND } from '../connection/failures.js';
import type { ServerDrivers } from '../server/server-drivers.js';
import type { Router } from './router.js';

/** Latches and counting semaphores, each on the server of its slot. */
export class ClusterCounters implements CounterDriver {
  constructor(private readonly router: Router) {}

  read(counter: Counter): Promise<number> {
    return this.#ask(counter, (counters) => counters.read(counter));
  }

  create(counter: Counter, value: number, operation: OperationId): Promise<boolean> {
    return this.#ask(counter, (counters) => counters.create(counter, value, operation));
  }

  add(counter: Counter, delta: number, operation: OperationId): Promise<number> {
    return this.#ask(counter, (counters) => counters.add(counter, delta, operation));
  }

  clear(counter: Counter, operation: OperationId): Promise<number> {
    return this.#ask(counter, (counters) => counters.clear(counter, operation));
  }

  take(resource: string, wants: readonly number[], operation: OperationId): Promise<TakeResult> {
    return this.router.route(resource, ({ counters }) => counters.take(resource, wants, operation));
  }

  undo(resource: string, wants: readonly number[], operation: OperationId): Promise<void> {
    return this.router.route(resource, ({ counters }) => counters.undo(resource, wants, operation));
  }

  watch(counter: Counter, wake: () => void): Promise<Unsubscribe> {
    return this.#ask(counter, (counters) => counters.watch(counter, wake));
  }

  async #ask<T>(
    { kind, resource }: Counter,
    ask: (counters: ServerDrivers['counters']) => Promise<T>,
  ): Promise<T> {
    if (kind === 'latch' && resource.includes('{')) {
      const what = `a latch with a hash tag in its name on a cluster ("${resource}")`;
      // Redisson puts braces around the whole name, whatever it contains.
      throw new UnsupportedByBackendError(BACKEND, what, "its channel, Redisson's, is in another slot");
    }
    return this.router.route(resource, ({ counters }) => ask(counters));
  }
}

/** Permits with leases, each on the server of their semaphore's slot. */
export class ClusterPermits implements PermitDriver {
  constructor(private readonly router: Router) {}

  available(resource: string): Promise<number> {
    return this.router.route(resource, ({ permits }) => permits.available(resource));
  }

  create(resource: string, count: number, operation: OperationId): Promise<boolean> {
    return this.router.route(resource, ({ permits }) => permits.create(resource, count, operation));
  }

  take(resource: string, wants: readonly PermitRequest[], operation: OperationId): Promise<TakeResult> {
    return this.router.route(resource, ({ permits }) => permits.take(resource, wants, operation));
  }

  extend(resource: string, id: string, leaseMs: number, operation: OperationId): Promise<boolean> {
    return this.router.route(resource, ({ permits }) => permits.extend(resource, id, leaseMs, operation));
  }

  release(resource: string, ids: readonly string[], operation: OperationId): Promise<number> {
    return this.router.route(resource, ({ permits }) => permits.release(resource, ids, operation));
  }

  watch(resource: string, wake: () => void): Promise<Unsubscribe> {
    return this.router.route(resource, ({ permits }) => permits.watch(resource, wake));
  }
}
