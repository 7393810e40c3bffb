import { atMost } from '../../core/clock.js';
import type { OperationId } from '../../core/ports/counting.js';
import { UnsupportedByBackendError } from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import type { Backend, CounterDriver, PermitDriver } from '../../core/ports/ports.js';
import type { WaitSettings } from '../../core/options/wait-options.js';
import { RequestObserver } from '../../core/ports/request-observer.js';
import type { CountStrategy } from './count-strategy.js';
import { Operations } from './operations.js';
import type { CountDeps } from './count-queue.js';
import { CountQueues } from './count-queues.js';
import { asLockError } from '../../core/unavailable.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import type { WaiterRegistry } from '../waiting/waiter-registry.js';

/** Makes the strategy of one kind of primitive. */
export type CountStrategyFactory<W extends WaitSettings, T> = (engine: CountingEngine) => CountStrategy<W, T>;

/** What serves the primitives that are no leases: their changes, which happen once, and the callers that wait. */
export class CountingEngine implements CountDeps {
  readonly operations: Operations;
  readonly requests: RequestObserver;
  readonly #queues = new Map<unknown, Pick<CountQueues<WaitSettings, unknown>, 'hub' | 'whenEmpty'>>();

  constructor(
    readonly backend: Backend,
    readonly clock: SuspendAwareClock,
    readonly registry: WaiterRegistry,
    readonly events: EventHub,
  ) {
    this.requests = new RequestObserver(clock, events);
    this.operations = new Operations(clock, backend, this.requests);
  }

  /** @throws UnsupportedByBackendError */
  get counters(): CounterDriver {
    const { counters, name } = this.backend;
    if (counters === undefined) throw unsupported(name, 'latches and counting semaphores');
    return counters;
  }

  /** @throws UnsupportedByBackendError */
  get permits(): PermitDriver {
    const { permits, name } = this.backend;
    if (permits === undefined) throw unsupported(name, 'semaphores whose permits expire');
    return permits;
  }

  /** Resources whose wakes are subscribed to. */
  get watches(): number {
    let watches = 0;
    for (const { hub } of this.#queues.values()) watches += hub.size;
    return watches;
  }

  /** The queues of one kind: all its primitives share them. */
  queuesFor<W extends WaitSettings, T>(makeStrategy: CountStrategyFactory<W, T>): CountQueues<W, T> {
    // A strategy makes queues of its own types.
    const known = this.#queues.get(makeStrategy) as CountQueues<W, T> | undefined;
    if (known !== undefined) return known;
    const made = new CountQueues(this, makeStrategy(this));
    this.#queues.set(makeStrategy, made);
    return made;
  }

  /** A change that happens once; settles within `waitMs`. @throws BackendUnavailableError and errors of the driver */
  change<R>(
    resource: string,
    settings: WaitSettings,
    act: (operation: OperationId) => Promise<R>,
  ): Promise<R> {
    return this.operations.repeatUntilDeadline(resource, settings, act);
  }

  /** A request that changes nothing: it is sent once. @throws BackendUnavailableError and errors of the driver */
  async query<R>(resource: string, request: () => Promise<R>): Promise<R> {
    try {
      return await this.requests.observe('read', { resource }, request());
    } catch (error) {
      throw asLockError(error, this.backend.name, resource);
    }
  }

  /**
   * Waits for requests in flight once the registry is closed. A request without an answer may have
   * taken permits, which go back first. Leaves no timer. The owner closes the backend.
   */
  async close(): Promise<void> {
    const { operationTimeoutMs } = this.backend;
    const all = [...this.#queues.values()];
    await atMost(this.clock, operationTimeoutMs, Promise.all(all.map((one) => one.whenEmpty())));
    await this.operations.drain(operationTimeoutMs);
    for (const { hub } of all) hub.close();
  }
}

function unsupported(backend: string, feature: string): UnsupportedByBackendError {
  return new UnsupportedByBackendError(
    backend,
    feature,
    'use redis() or zookeeper(), or memory() for one process',
  );
}
