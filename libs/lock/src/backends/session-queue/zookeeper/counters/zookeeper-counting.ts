import type { Clock } from '../../../../core/clock.js';
import { atMost } from '../../../../core/clock.js';
import type { Counter, OperationId, PermitRequest, TakeResult } from '../../../../core/ports/counting.js';
import type { CounterDriver, PermitDriver } from '../../../../core/ports/ports.js';
import type { ZooKeeperPaths } from '../session/zookeeper-paths.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';
import { AnswerCleanup } from './answer-cleanup.js';
import * as updates from './count-updates.js';
import { CountUpdater } from './count-updater.js';
import { CountNodes } from './count-nodes.js';
import { CountWatches } from './count-watches.js';

export interface ZooKeeperCountingDeps {
  readonly paths: ZooKeeperPaths;
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
  readonly session: () => Promise<ZooKeeperSession>;
}

/**
 * Latches and semaphores that are numbers, on ZooKeeper. Leases of permits end by the clock of the
 * ensemble's leader.
 */
export class ZooKeeperCounting {
  readonly #nodes: CountNodes;
  readonly #updater: CountUpdater;
  readonly #cleanup: AnswerCleanup;
  readonly #watches: CountWatches;

  readonly counters: CounterDriver = {
    read: async ({ kind, resource }) =>
      (await this.#nodes.snapshot(resource, 'number')).state.valueOf(kind) ?? 0,
    create: (counter, value, operation) =>
      this.#update(counter, operation, updates.create(counter, value, operation)),
    add: (counter, delta, operation) =>
      this.#update(counter, operation, updates.add(counter, delta, operation)),
    clear: (counter, operation) => this.#update(counter, operation, updates.clear(counter, operation)),
    take: (resource, wants, operation) =>
      this.#update({ resource }, operation, updates.take(wants, operation)),
    undo: (resource, wants, operation) =>
      this.#update({ resource }, operation, updates.undo(wants, operation)),
    watch: (counter, wake) => this.#watches.watch(counter, wake),
  };

  readonly permits: PermitDriver = {
    available: async (resource) => {
      const { state, nowMs } = await this.#nodes.snapshot(resource, 'numberAndTime');
      return updates.free(state, nowMs);
    },
    create: (resource, permits, operation) =>
      this.#update(
        { resource },
        operation,
        updates.create({ kind: 'semaphore', resource }, permits, operation),
      ),
    take: (resource: string, wants: readonly PermitRequest[], operation): Promise<TakeResult> =>
      this.#update({ resource }, operation, updates.takePermits(wants, operation)),
    extend: (resource, id, leaseMs, operation) =>
      this.#update({ resource }, operation, updates.extendPermit(id, leaseMs)),
    release: (resource, ids, operation) =>
      this.#update({ resource }, operation, updates.releasePermits(ids, operation)),
    watch: (resource, wake) => this.#watches.watch({ kind: 'semaphore', resource }, wake),
  };

  constructor(private readonly deps: ZooKeeperCountingDeps) {
    const { paths, clock, operationTimeoutMs, session } = deps;
    this.#nodes = new CountNodes(paths, clock, session);
    this.#cleanup = new AnswerCleanup(clock, (resource, ids) => this.#updater.dropAnswers(resource, ids));
    this.#updater = new CountUpdater(this.#nodes, clock, operationTimeoutMs, this.#cleanup);
    this.#watches = new CountWatches(paths, this.#nodes);
  }

  /** Contact is back, perhaps in another session. */
  reconnected(): void {
    this.#watches.reconnected();
  }

  /** Drops what the server remembers for this process, as far as there is time. */
  async close(ms: number): Promise<void> {
    this.#watches.close();
    await atMost(this.deps.clock, ms, this.#cleanup.close());
  }

  #update<T>(
    { resource }: Pick<Counter, 'resource'>,
    operation: OperationId,
    update: updates.CountUpdate<T>,
  ): Promise<T> {
    return this.#updater.update(resource, operation, update);
  }
}
