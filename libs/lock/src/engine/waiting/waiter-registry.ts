import { modeOf, type Shape } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { outsideOfCallers } from '../../core/context.js';
import { LockClosedError, QueueFullError } from '../../core/errors.js';
import type { WaitEnd, EventHub } from '../../core/events.js';
import { EarliestTimer } from '../../runtime/earliest-timer.js';
import { SmallMap } from '../../runtime/collections/small-map.js';

/** Deadlines closer together than this are served by one timer, in ms. */
const COALESCE_MS = 5;

/** The longest sleep, in ms: a machine that was suspended is noticed this long after it woke up. */
const MAX_TICK_MS = 1_000;

/** Why a waiter was taken out of a queue before its turn; the queue's owner turns it into an error. */
export type LeaveReason = Exclude<WaitEnd, 'granted'>;

/** What a caller brings that the bounds are about. */
interface AdmittedSettings {
  readonly maxWaiters: number;
  readonly shape?: Shape;
}

/** A queue as the registry sees it: bounds and deadlines, never its grants. */
export interface BoundedQueue {
  readonly owner: {
    readonly resource: string;
    readonly group?: { readonly waiterCount: number } | undefined;
  };
  readonly size: number;
  /** Takes out those whose deadline has passed; gives the earliest deadline of the rest. */
  expire(now: number): number;
  rejectAll(reason: LeaveReason, error: Error): void;
}

/** All queues of one Bedrock: the bound per process, and one timer for the deadlines of all waiters. */
export class WaiterRegistry {
  readonly #queues = new SmallMap<BoundedQueue, BoundedQueue>();
  #waiterCount = 0;
  #lastArrival = 0;
  #closed = false;
  readonly #closing = new AbortController();
  readonly #timer: EarliestTimer;

  constructor(
    readonly clock: Clock,
    readonly events: EventHub,
    readonly maxWaitersPerProcess: number,
  ) {
    this.#timer = new EarliestTimer(clock, () => this.#expire(), MAX_TICK_MS);
  }

  get waiterCount(): number {
    return this.#waiterCount;
  }

  /** The number of the latest arrival. */
  get lastArrival(): number {
    return this.#lastArrival;
  }

  nextArrival(): number {
    return ++this.#lastArrival;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Aborts when the registry closes, before its waiters leave: a leader gives its term back. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The error that keeps a caller out of a full queue, if it is one. */
  refusalFor(queue: BoundedQueue, { maxWaiters, shape }: AdmittedSettings): QueueFullError | undefined {
    const { resource, group } = queue.owner;
    const limit =
      (group?.waiterCount ?? queue.size) >= maxWaiters
        ? 'maxWaiters'
        : this.#waiterCount >= this.maxWaitersPerProcess
          ? 'maxWaitersPerProcess'
          : undefined;
    if (limit === undefined) return undefined;
    const max = limit === 'maxWaiters' ? maxWaiters : this.maxWaitersPerProcess;
    if (this.events.hasListeners('queue.full'))
      this.events.emit('queue.full', { resource, mode: modeOf(shape), limit, max });
    return new QueueFullError(resource, limit, max);
  }

  onAdded(queue: BoundedQueue, waiter: { readonly deadline: number }): void {
    this.#waiterCount += 1;
    if (queue.size === 1) this.#queues.set(queue, queue);
    this.#timer.arm(waiter.deadline);
  }

  /** A waiter is no longer in the queue, served or not. */
  onRemoved(queue: BoundedQueue): void {
    this.#waiterCount -= 1;
    if (queue.size === 0) this.#queues.delete(queue);
  }

  /** Rejects all waiters, and all later callers, with `LockClosedError`. */
  close(): void {
    this.#closed = true;
    outsideOfCallers(() => this.#closing.abort(new LockClosedError()));
    for (const queue of [...this.#queues.values()])
      queue.rejectAll('closed', new LockClosedError(queue.owner.resource));
    this.#timer.stop();
  }

  #expire(): void {
    const now = this.clock.now();
    let earliest = Infinity;
    for (const queue of [...this.#queues.values()]) earliest = Math.min(earliest, queue.expire(now));
    this.#timer.arm(Math.max(earliest, now + COALESCE_MS));
  }
}
