import { atMost } from '../../core/clock.js';
import type { Operation } from '../../core/ports/counting.js';
import { UnsupportedByBackendError } from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import type { Backend, CounterDriver, PermitDriver } from '../../core/ports/ports.js';
import type { WaitTerms } from '../../core/options/wait-options.js';
import type { Gate } from './gate.js';
import { Operations } from './operations.js';
import type { TurnstileGround } from './turnstile.js';
import { Turnstiles } from './turnstiles.js';
import { asLockError } from '../../core/unavailable.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import type { WaitingRoom } from '../waiting/waiting-room.js';

/** Makes the gate of one kind of primitive. */
export type GateKind<W extends WaitTerms, T> = (engine: CountingEngine) => Gate<W, T>;

/** What serves the primitives that are no leases: their changes, which happen once, and the callers that wait. */
export class CountingEngine implements TurnstileGround {
  readonly operations: Operations;
  readonly #turnstiles = new Map<unknown, Pick<Turnstiles<WaitTerms, unknown>, 'hub' | 'whenEmpty'>>();

  constructor(
    readonly backend: Backend,
    readonly clock: SuspendAwareClock,
    readonly room: WaitingRoom,
    readonly events: EventHub,
  ) {
    this.operations = new Operations(clock, backend);
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
    for (const { hub } of this.#turnstiles.values()) watches += hub.size;
    return watches;
  }

  /** The turnstiles of one kind: all its primitives share them. */
  turnstiles<W extends WaitTerms, T>(kind: GateKind<W, T>): Turnstiles<W, T> {
    // A kind makes turnstiles of its own types.
    const known = this.#turnstiles.get(kind) as Turnstiles<W, T> | undefined;
    if (known !== undefined) return known;
    const made = new Turnstiles(this, kind(this));
    this.#turnstiles.set(kind, made);
    return made;
  }

  /** A change that happens once; settles within `waitMs`. @throws BackendUnavailableError and errors of the driver */
  change<R>(resource: string, terms: WaitTerms, act: (operation: Operation) => Promise<R>): Promise<R> {
    return this.operations.perform(resource, terms, act);
  }

  /** A question that changes nothing: it is asked once. @throws BackendUnavailableError and errors of the driver */
  async ask<R>(resource: string, question: () => Promise<R>): Promise<R> {
    try {
      return await question();
    } catch (error) {
      throw asLockError(error, this.backend.name, resource);
    }
  }

  /**
   * Waits for what is under way once the room is closed: a question that is not answered yet may take something, which
   * goes back first. Leaves no timer. The backend is closed by its owner.
   */
  async close(): Promise<void> {
    const { operationTimeoutMs } = this.backend;
    const all = [...this.#turnstiles.values()];
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
