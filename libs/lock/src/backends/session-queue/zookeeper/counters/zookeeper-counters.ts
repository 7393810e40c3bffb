import type { Clock } from '../../../../core/clock.js';
import { atMost } from '../../../../core/clock.js';
import type { Counter, OperationId, PermitRequest, TakeResult } from '../../../../core/ports/counting.js';
import type { CounterDriver, PermitDriver } from '../../../../core/ports/ports.js';
import type { Paths } from '../session/paths.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';
import { Answered } from './answered.js';
import * as changes from './count-changes.js';
import { CountDesk } from './count-desk.js';
import { CountNodes } from './count-nodes.js';
import { CountWatches } from './count-watches.js';

export interface CountingTerms {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
  readonly session: () => Promise<ZooKeeperSession>;
}

/** Latches and semaphores that are numbers, on ZooKeeper. Leases of permits end by the clock of the ensemble's leader. */
export class ZooKeeperCounting {
  readonly #nodes: CountNodes;
  readonly #desk: CountDesk;
  readonly #answered: Answered;
  readonly #watches: CountWatches;

  readonly counters: CounterDriver = {
    read: async ({ kind, resource }) => (await this.#nodes.look(resource, 'number')).state.valueOf(kind) ?? 0,
    create: (counter, value, operation) =>
      this.#change(counter, operation, changes.create(counter, value, operation)),
    add: (counter, delta, operation) =>
      this.#change(counter, operation, changes.add(counter, delta, operation)),
    clear: (counter, operation) => this.#change(counter, operation, changes.clear(counter, operation)),
    take: (resource, wants, operation) =>
      this.#change({ resource }, operation, changes.take(wants, operation)),
    undo: (resource, wants, operation) =>
      this.#change({ resource }, operation, changes.undo(wants, operation)),
    watch: (counter, wake) => this.#watches.watch(counter, wake),
  };

  readonly permits: PermitDriver = {
    available: async (resource) => {
      const { state, nowMs } = await this.#nodes.look(resource, 'numberAndTime');
      return changes.free(state, nowMs);
    },
    create: (resource, permits, operation) =>
      this.#change(
        { resource },
        operation,
        changes.create({ kind: 'semaphore', resource }, permits, operation),
      ),
    take: (resource: string, wants: readonly PermitRequest[], operation): Promise<TakeResult> =>
      this.#change({ resource }, operation, changes.takePermits(wants, operation)),
    extend: (resource, id, leaseMs, operation) =>
      this.#change({ resource }, operation, changes.extendPermit(id, leaseMs)),
    release: (resource, ids, operation) =>
      this.#change({ resource }, operation, changes.releasePermits(ids, operation)),
    watch: (resource, wake) => this.#watches.watch({ kind: 'semaphore', resource }, wake),
  };

  constructor(private readonly terms: CountingTerms) {
    const { paths, clock, operationTimeoutMs, session } = terms;
    this.#nodes = new CountNodes(paths, clock, session);
    this.#answered = new Answered(clock, (resource, ids) => this.#desk.forget(resource, ids));
    this.#desk = new CountDesk(this.#nodes, clock, operationTimeoutMs, this.#answered);
    this.#watches = new CountWatches(paths, this.#nodes);
  }

  /** Contact is back, perhaps in another session. */
  regained(): void {
    this.#watches.regained();
  }

  /** Drops what the server remembers for this process, as far as there is time. */
  async close(ms: number): Promise<void> {
    this.#watches.close();
    await atMost(this.terms.clock, ms, this.#answered.close());
  }

  #change<T>(
    { resource }: Pick<Counter, 'resource'>,
    operation: OperationId,
    change: changes.Change<T>,
  ): Promise<T> {
    return this.#desk.change(resource, operation, change);
  }
}
