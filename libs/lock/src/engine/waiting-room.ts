import type { Clock, Timer } from '../core/clock.js';
import { LockClosedError, QueueFullError } from '../core/errors.js';
import type { EventHub } from '../core/events.js';
import type { Competitor, Departure, QueuedSynchronizer } from './queued-synchronizer.js';

/** Deadlines closer together than this are served by one timer, in ms. */
const COALESCE_MS = 5;

// A queue of any turn: the room looks at bounds and deadlines, never at what is granted.
type AnyQueue = QueuedSynchronizer<never>;

/** All queues of one Bedrock: the bound per process, and one timer for the deadlines of everybody. */
export class WaitingRoom {
  readonly #queues = new Set<AnyQueue>();
  #waiting = 0;
  #closed = false;
  #timer: Timer | undefined;
  #firesAt = Infinity;

  constructor(
    readonly clock: Clock,
    readonly events: EventHub,
    readonly maxWaitersPerProcess: number,
  ) {}

  get waiting(): number {
    return this.#waiting;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The error that keeps a caller out, if there is one. */
  refusal<T>(queue: QueuedSynchronizer<T>, maxWaiters: number): Error | undefined {
    const { resource } = queue.owner;
    if (this.#closed) return new LockClosedError(resource);
    const limit =
      queue.size >= maxWaiters
        ? 'maxWaiters'
        : this.#waiting >= this.maxWaitersPerProcess
          ? 'maxWaitersPerProcess'
          : undefined;
    if (limit === undefined) return undefined;
    const max = limit === 'maxWaiters' ? maxWaiters : this.maxWaitersPerProcess;
    if (this.events.wants('queue.full')) this.events.emit('queue.full', { resource, limit, max });
    return new QueueFullError(resource, limit, max);
  }

  entered<T>(queue: QueuedSynchronizer<T>, competitor: Competitor<T>): void {
    this.#waiting += 1;
    if (queue.size === 1) this.#queues.add(queue as unknown as AnyQueue);
    if (!competitor.once) this.#arm(competitor.deadline);
    if (this.events.wants('competitor.competing')) {
      this.events.emit('competitor.competing', { resource: queue.owner.resource, waiting: queue.size });
    }
  }

  /** A competitor is no longer in the queue, served or not. */
  gone<T>(queue: QueuedSynchronizer<T>): void {
    this.#waiting -= 1;
    if (queue.size === 0) this.#queues.delete(queue as unknown as AnyQueue);
  }

  /** A competitor left without its turn. */
  departed<T>(queue: QueuedSynchronizer<T>, end: Departure): void {
    if (this.events.wants('competitor.destroyed')) {
      this.events.emit('competitor.destroyed', { resource: queue.owner.resource, end });
    }
  }

  /** Rejects everybody who waits and everybody who comes later with `LockClosedError`. */
  close(): void {
    this.#closed = true;
    for (const queue of [...this.#queues])
      queue.leaveAll('closed', new LockClosedError(queue.owner.resource));
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  // A timer that has become needless is left to fire: clearing one per waiter would cost more than it saves.
  #arm(deadline: number): void {
    if (deadline >= this.#firesAt || deadline === Infinity) return;
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#firesAt = deadline;
    this.#timer = this.clock.setTimer(() => this.#fire(), deadline - this.clock.now());
  }

  #fire(): void {
    this.#timer = undefined;
    this.#firesAt = Infinity;
    const now = this.clock.now();
    let earliest = Infinity;
    for (const queue of [...this.#queues]) earliest = Math.min(earliest, queue.expire(now));
    if (!this.#closed) this.#arm(earliest === Infinity ? Infinity : Math.max(earliest, now + COALESCE_MS));
  }
}
