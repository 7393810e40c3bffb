import type { Terms } from '../../core/options/options.js';
import { onAbort } from '../../runtime/abort-listeners.js';
import type { Departure, Line, WaitingRoom } from './waiting-room.js';

/** What a queue itself reads of the terms of a caller. */
export type QueueTerms = Pick<Terms, 'waitMs' | 'maxWaiters'>;

/** What an entrant brings. */
export interface Entry<W extends QueueTerms = Terms> {
  readonly terms: W;
  readonly signal: AbortSignal | undefined;
  readonly once: boolean;
}

/** One caller in a queue, and its node in the queue's list. */
export class Competitor<T, W extends QueueTerms = Terms> {
  readonly terms: W;
  /** Asks once and leaves when refused. */
  readonly once: boolean;
  readonly signal: AbortSignal | undefined;
  prev: Competitor<T, W> | undefined;
  next: Competitor<T, W> | undefined;
  /** True until the competitor got its turn or left. */
  waiting = true;
  #stopListening: (() => void) | undefined;

  constructor(
    { terms, once, signal }: Entry<W>,
    /** Number of its arrival, over all queues of the process. */
    readonly arrival: number,
    readonly enteredAt: number,
    readonly resolve: (turn: T) => void,
    readonly reject: (error: Error) => void,
  ) {
    this.terms = terms;
    this.once = once;
    this.signal = signal;
  }

  /** Monotonic ms. One that asks once is bound by the answer to its only question, not by the clock. */
  get deadline(): number {
    return this.once ? Infinity : this.enteredAt + this.terms.waitMs;
  }

  leaveOnAbort(signal: AbortSignal, leave: () => void): void {
    this.#stopListening = onAbort(signal, leave);
  }

  settle(): void {
    this.waiting = false;
    this.#stopListening?.();
  }
}

/** What the owner of a queue decides. */
export interface QueueOwner<T, W extends QueueTerms = Terms> {
  readonly resource: string;
  /** Those who wait for the same in queues of their own. */
  readonly crowd?: { readonly waiting: number } | undefined;
  /** The error for a competitor that leaves without its turn. */
  farewell(competitor: Competitor<T, W>, departure: Departure): Error;
  /** Called after a competitor took its place. */
  arrived(): void;
  /** Called after a competitor left without its turn. */
  left(departure: Departure): void;
}

/**
 * The queue of this process for one resource, first in, first out, as an AbstractQueuedSynchronizer keeps it. A
 * doubly linked list, so that a time-out, an abort or a shutdown takes out any position in constant time.
 */
export class QueuedSynchronizer<T, W extends QueueTerms = Terms> implements Line {
  #head: Competitor<T, W> | undefined;
  #tail: Competitor<T, W> | undefined;
  #size = 0;

  constructor(
    readonly room: WaitingRoom,
    readonly owner: QueueOwner<T, W>,
  ) {}

  get head(): Competitor<T, W> | undefined {
    return this.#head;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Appends a caller; the promise resolves with its turn.
   * @throws (rejects) QueueFullError beyond the bounds, LockAbortedError for an already aborted signal,
   * LockClosedError after the room was closed
   */
  enter(entry: Entry<W>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { terms, signal } = entry;
      const { room } = this;
      const arrival = room.nextArrival();
      const competitor = new Competitor<T, W>(entry, arrival, room.clock.now(), resolve, reject);
      if (signal?.aborted === true) return reject(this.owner.farewell(competitor, 'aborted'));
      const refusal = this.room.refusal(this, terms.maxWaiters);
      if (refusal !== undefined) return reject(refusal);
      if (signal !== undefined) competitor.leaveOnAbort(signal, () => this.leave(competitor, 'aborted'));
      this.#append(competitor);
      this.room.entered(this, competitor);
      this.owner.arrived();
    });
  }

  /** Takes out the head: its turn has come. */
  shift(): Competitor<T, W> {
    const head = this.#head!;
    this.#unlink(head);
    return head;
  }

  /** Takes out any position and rejects it. Without effect on one that left before. */
  leave(competitor: Competitor<T, W>, departure: Departure, error?: Error): void {
    if (!competitor.waiting) return;
    this.#unlink(competitor);
    competitor.reject(error ?? this.owner.farewell(competitor, departure));
    this.owner.left(departure);
  }

  /** Takes out everybody. */
  leaveAll(departure: Departure, error?: Error): void {
    while (this.#head !== undefined) this.leave(this.#head, departure, error);
  }

  expire(now: number): number {
    // Collected first: whoever leaves may take others along, by a listener that aborts them.
    const due: Competitor<T, W>[] = [];
    for (let one = this.#head; one !== undefined; one = one.next) if (one.deadline <= now) due.push(one);
    for (const one of due) this.leave(one, 'timedOut');
    let earliest = Infinity;
    for (let one = this.#head; one !== undefined; one = one.next) earliest = Math.min(earliest, one.deadline);
    return earliest;
  }

  /** Takes out everybody who meets the condition. */
  leaveWhere(condition: (competitor: Competitor<T, W>) => boolean, departure: Departure): void {
    const leaving: Competitor<T, W>[] = [];
    for (let one = this.#head; one !== undefined; one = one.next) if (condition(one)) leaving.push(one);
    for (const one of leaving) this.leave(one, departure);
  }

  #append(competitor: Competitor<T, W>): void {
    competitor.prev = this.#tail;
    if (this.#tail === undefined) this.#head = competitor;
    else this.#tail.next = competitor;
    this.#tail = competitor;
    this.#size += 1;
  }

  #unlink(competitor: Competitor<T, W>): void {
    const { prev, next } = competitor;
    if (prev === undefined) this.#head = next;
    else prev.next = next;
    if (next === undefined) this.#tail = prev;
    else next.prev = prev;
    competitor.prev = competitor.next = undefined;
    this.#size -= 1;
    competitor.settle();
    this.room.gone(this);
  }
}
