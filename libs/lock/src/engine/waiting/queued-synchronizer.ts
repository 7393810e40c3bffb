import type { Shape } from '../../core/claim.js';
import type { LockSettings } from '../../core/options/options.js';
import { onAbort } from '../../runtime/abort-listeners.js';
import type { LeaveReason, BoundedQueue, WaiterRegistry } from './waiter-registry.js';

/** The settings of a caller that the queue itself reads; the shape where there is a claim. */
export type QueueSettings = Pick<LockSettings, 'waitMs' | 'maxWaiters'> & { readonly shape?: Shape };

/** What a caller brings to the queue. */
export interface WaitRequest<W extends QueueSettings = LockSettings> {
  readonly settings: W;
  readonly signal: AbortSignal | undefined;
  readonly triesOnce: boolean;
}

/** One caller in a queue, and its node in the queue's list. */
export class Waiter<T, W extends QueueSettings = LockSettings> {
  readonly settings: W;
  /** Sends one request and leaves when it is refused. */
  readonly triesOnce: boolean;
  readonly signal: AbortSignal | undefined;
  prev: Waiter<T, W> | undefined;
  next: Waiter<T, W> | undefined;
  /** True until the waiter got its turn or left. */
  isWaiting = true;
  #stopListening: (() => void) | undefined;

  constructor(
    { settings, triesOnce, signal }: WaitRequest<W>,
    /** Number of its arrival, over all queues of the process. */
    readonly arrival: number,
    readonly enqueuedAt: number,
    readonly resolve: (turn: T) => void,
    readonly reject: (error: Error) => void,
  ) {
    this.settings = settings;
    this.triesOnce = triesOnce;
    this.signal = signal;
  }

  /** Monotonic ms. A waiter that tries once is bound by the answer to its only request, not by the clock. */
  get deadline(): number {
    return this.triesOnce ? Infinity : this.enqueuedAt + this.settings.waitMs;
  }

  leaveOnAbort(signal: AbortSignal, leave: () => void): void {
    this.#stopListening = onAbort(signal, leave);
  }

  settle(): void {
    this.isWaiting = false;
    this.#stopListening?.();
  }
}

/** What the owner of a queue decides. */
export interface QueueOwner<T, W extends QueueSettings = LockSettings> {
  readonly resource: string;
  /** The waiters for the same resource that have queues of their own. */
  readonly group?: { readonly waiterCount: number } | undefined;
  /** The error for a waiter that leaves without its turn. */
  rejectionFor(waiter: Waiter<T, W>, reason: LeaveReason): Error;
  /** Called after a waiter was enqueued. */
  onEnqueued(waiter: Waiter<T, W>): void;
  /** Called after a waiter left without its turn. */
  onLeft(reason: LeaveReason, waiter: Waiter<T, W>): void;
  /** Called before a caller is refused that was never in the queue; a full queue has an event of its own. */
  onRefused?(reason: LeaveReason, waiter: Waiter<T, W>): void;
}

/**
 * A queue of this process, first in, first out, as an AbstractQueuedSynchronizer keeps it: for one resource, for one caller, or
 * for the calls inside a frame. A doubly linked list, so that a time-out, an abort or a shutdown takes out any position in
 * constant time.
 */
export class QueuedSynchronizer<T, W extends QueueSettings = LockSettings> implements BoundedQueue {
  #head: Waiter<T, W> | undefined;
  #tail: Waiter<T, W> | undefined;
  #size = 0;

  constructor(
    readonly registry: WaiterRegistry,
    readonly owner: QueueOwner<T, W>,
  ) {}

  get head(): Waiter<T, W> | undefined {
    return this.#head;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Appends a caller; the promise resolves with its turn.
   * @throws (rejects) QueueFullError beyond the bounds, LockAbortedError for an already aborted signal,
   * LockClosedError after the registry was closed
   */
  enqueue(request: WaitRequest<W>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { settings, signal } = request;
      const { registry } = this;
      const arrival = registry.nextArrival();
      const waiter = new Waiter<T, W>(request, arrival, registry.clock.now(), resolve, reject);
      if (signal?.aborted === true) return this.#refuse(waiter, 'aborted');
      if (registry.isClosed) return this.#refuse(waiter, 'closed');
      const refusal = registry.refusalFor(this, settings);
      if (refusal !== undefined) return reject(refusal);
      if (signal !== undefined) waiter.leaveOnAbort(signal, () => this.reject(waiter, 'aborted'));
      this.#append(waiter);
      this.registry.onAdded(this, waiter);
      this.owner.onEnqueued(waiter);
    });
  }

  /** Takes out the head: its turn has come. */
  dequeue(): Waiter<T, W> {
    const head = this.#head!;
    this.#unlink(head);
    return head;
  }

  /** Takes out any position and rejects it. Without effect on one that left before. */
  reject(waiter: Waiter<T, W>, reason: LeaveReason, error?: Error): void {
    if (!waiter.isWaiting) return;
    this.#unlink(waiter);
    waiter.reject(error ?? this.owner.rejectionFor(waiter, reason));
    this.owner.onLeft(reason, waiter);
  }

  /** Takes out every waiter of now. */
  rejectAll(reason: LeaveReason, error?: Error): void {
    this.rejectWhere(() => true, reason, error);
  }

  expire(now: number): number {
    // Collected first: a listener of one waiter that leaves may abort others.
    const due: Waiter<T, W>[] = [];
    for (let one = this.#head; one !== undefined; one = one.next) if (one.deadline <= now) due.push(one);
    for (const one of due) this.reject(one, 'timedOut');
    let earliest = Infinity;
    for (let one = this.#head; one !== undefined; one = one.next) earliest = Math.min(earliest, one.deadline);
    return earliest;
  }

  /** Takes out every waiter that meets the condition. */
  rejectWhere(condition: (waiter: Waiter<T, W>) => boolean, reason: LeaveReason, error?: Error): void {
    // Collected first: a listener of one that leaves may bring another.
    const leaving: Waiter<T, W>[] = [];
    for (let one = this.#head; one !== undefined; one = one.next) if (condition(one)) leaving.push(one);
    for (const one of leaving) this.reject(one, reason, error);
  }

  #refuse(waiter: Waiter<T, W>, reason: LeaveReason): void {
    this.owner.onRefused?.(reason, waiter);
    waiter.reject(this.owner.rejectionFor(waiter, reason));
  }

  #append(waiter: Waiter<T, W>): void {
    waiter.prev = this.#tail;
    if (this.#tail === undefined) this.#head = waiter;
    else this.#tail.next = waiter;
    this.#tail = waiter;
    this.#size += 1;
  }

  #unlink(waiter: Waiter<T, W>): void {
    const { prev, next } = waiter;
    if (prev === undefined) this.#head = next;
    else prev.next = next;
    if (next === undefined) this.#tail = prev;
    else next.prev = prev;
    waiter.prev = waiter.next = undefined;
    this.#size -= 1;
    waiter.settle();
    this.registry.onRemoved(this);
  }
}
