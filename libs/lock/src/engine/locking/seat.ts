import { hostname } from 'node:os';
import { READER, type HolderView, type ProcessView, type PushedGrant, type Wake } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import {
  LockAbortedError,
  LockBusyError,
  LockClosedError,
  LockWaitTimeoutError,
  type BackendUnavailableError,
} from '../../core/errors.js';
import type { Terms } from '../../core/options/options.js';
import type { Attempt } from './attempt.js';
import type { Hold } from '../holding/hold.js';
import type { Lease } from '../holding/lease.js';
import { QueuedSynchronizer, type Competitor, type QueueOwner } from '../waiting/queued-synchronizer.js';
import type { Departure, WaitingRoom } from '../waiting/waiting-room.js';

const LOCAL: ProcessView = { host: hostname(), pid: process.pid };

/** What all seats of an engine have in common. */
export interface SeatHouse {
  readonly room: WaitingRoom;
  dropSeat(seat: Seat): void;
  /** Who waits here may be served now, since somebody before them has left. */
  resume(seat: Seat): void;
}

/** Callers of this process for one resource that each ask for themselves, since they are served in order of arrival. */
export interface Crowd {
  readonly seats: Set<Seat>;
  waiting: number;
}

/** The state of one resource in this process: who waits, what is held, and what the backend said last. */
export class Seat implements QueueOwner<Lease> {
  /** What is asked for. */
  asking: Attempt | undefined;
  /** The waiting loop runs. */
  isContending = false;
  /** Somebody said that asking again may be worth it. */
  woken = false;
  /** The backend has refused the head, which waits. */
  isPutOff = false;
  /** Why the backend did not answer the last question; undefined after an answer. */
  lastError: BackendUnavailableError | undefined;
  #unitsHeld = 0;
  // Most seats have one hold at most.
  #holds: Hold | Set<Hold> | undefined;
  /** Of the latest claim to read. */
  #reading: Hold | undefined;
  #pushed: Wake | undefined;
  #queue: QueuedSynchronizer<Lease> | undefined;
  #lastHolder: { readonly view: HolderView; readonly seenAt: number } | undefined;
  #resume: (() => void) | undefined;

  constructor(
    readonly resource: string,
    private readonly house: SeatHouse,
    /** The others on the same resource, when this seat is for one caller alone. */
    readonly crowd?: Crowd,
  ) {}

  get room(): WaitingRoom {
    return this.house.room;
  }

  /** Who waits here. Made when somebody comes, since most seats of a process that holds many locks have no queue. */
  get queue(): QueuedSynchronizer<Lease> {
    this.#queue ??= new QueuedSynchronizer<Lease>(this.room, this);
    return this.#queue;
  }

  get isHolding(): boolean {
    return this.#holds !== undefined;
  }

  /** What is held here. */
  get holds(): Iterable<Hold> {
    const holds = this.#holds;
    if (holds === undefined) return [];
    return holds instanceof Set ? holds : [holds];
  }

  /** @param hold one with its lease */
  add(hold: Hold): void {
    if (hold.shape === READER && hold.isFirst) this.#reading = hold;
    this.#unitsHeld += hold.shape.units;
    if (this.#holds === undefined) this.#holds = hold;
    else if (this.#holds instanceof Set) this.#holds.add(hold);
    else this.#holds = new Set([this.#holds, hold]);
  }

  remove(hold: Hold): void {
    this.#unitsHeld -= hold.shape.units;
    if (this.#holds === hold) this.#holds = undefined;
    else if (this.#holds instanceof Set && this.#holds.delete(hold) && this.#holds.size === 0)
      this.#holds = undefined;
  }

  /** What a reader under these terms may share now: a claim within its quantum. */
  sharedWith(terms: Terms, now: number): Hold | undefined {
    const hold = this.#reading;
    if (terms.shape !== READER || hold?.isClaimHeld !== true) return undefined;
    return hold.mayHandOver(terms, now) ? hold : undefined;
  }

  /** Nobody joins any more, since what is held may be lost. */
  stopSharing(): void {
    this.#reading = undefined;
  }

  /** Nothing under these terms can be granted beside what is held here. */
  isFullFor({ shape }: Terms): boolean {
    return this.#unitsHeld + shape.units > shape.capacity;
  }

  /** The head has to wait for somebody of this process. */
  get isFull(): boolean {
    const { head } = this;
    return head !== undefined && this.isFullFor(head.terms);
  }

  get head(): Competitor<Lease> | undefined {
    return this.#queue?.head;
  }

  get waiting(): number {
    return this.#queue?.size ?? 0;
  }

  /** The terms of those next behind the head who want the same as it does and fit beside it and what is held here. */
  besideHead(most: number): Terms[] {
    const others: Terms[] = [];
    const { head } = this;
    if (head === undefined) return others;
    const { shape } = head.terms;
    const room = Math.floor((shape.capacity - this.#unitsHeld) / shape.units) - 1;
    for (let one = head.next; one?.terms.shape === shape; one = one.next) {
      if (others.length >= Math.min(room, most)) break;
      others.push(one.terms);
    }
    return others;
  }

  /** Takes out the head: its turn has come. */
  shift(): Competitor<Lease> {
    const head = this.queue.shift();
    if (this.crowd !== undefined) this.crowd.waiting -= 1;
    if (this.waiting > 0) return head;
    this.#queue = undefined;
    // Served by a hand-over: the loop has nobody to ask for any more, and a place in line to leave.
    if (this.isContending) this.wake();
    return head;
  }

  get clock(): Clock {
    return this.room.clock;
  }

  /** Who is in the way, as far as is known here. */
  get holder(): HolderView | undefined {
    const now = this.clock.now();
    for (const { id, validUntil } of this.holds) {
      return { id, remainingMs: Math.max(0, validUntil - now), process: LOCAL };
    }
    if (this.#lastHolder === undefined) return undefined;
    const { view, seenAt } = this.#lastHolder;
    return { ...view, remainingMs: Math.max(0, view.remainingMs - (now - seenAt)) };
  }

  sawHolder(view: HolderView | undefined): void {
    this.lastError = undefined;
    this.isPutOff = true;
    this.#lastHolder = view && { view, seenAt: this.clock.now() };
  }

  farewell(competitor: Competitor<Lease>, departure: Departure): Error {
    const { resource } = this;
    if (departure === 'aborted') return new LockAbortedError(resource, { cause: competitor.signal?.reason });
    if (departure === 'closed') return new LockClosedError(resource);
    if (this.lastError !== undefined) return this.lastError;
    if (departure === 'busy') return new LockBusyError(resource, this.holder);
    return new LockWaitTimeoutError(resource, this.clock.now() - competitor.enteredAt, this.holder);
  }

  arrived(): void {
    if (this.crowd !== undefined) this.crowd.waiting += 1;
    const { events } = this.room;
    if (!events.wants('competitor.arrived')) return;
    events.emit('competitor.arrived', { resource: this.resource, waiting: this.waiting });
  }

  left(end: Departure): void {
    if (this.crowd !== undefined) this.crowd.waiting -= 1;
    const { events } = this.room;
    if (events.wants('competitor.destroyed'))
      events.emit('competitor.destroyed', { resource: this.resource, end });
    if (this.waiting === 0 && !this.isContending) this.dropIfIdle();
    // Nobody needs the claim under way, or the next caller needs another.
    else if (this.head?.terms.shape !== this.asking?.terms.shape) this.house.resume(this);
  }

  dropIfIdle(): void {
    if (this.waiting === 0 && !this.isHolding && !this.isContending) this.house.dropSeat(this);
  }

  /** @param wake whom it is for; nobody named means everybody */
  wake(wake?: Wake): void {
    if (wake !== undefined) {
      if (wake.claimId !== this.asking?.id) return;
      if (wake.grant !== undefined) this.#pushed = wake;
    }
    this.woken = true;
    this.#resume?.();
  }

  /**
   * What was granted to the claim that is asked for without being asked for again, once. A claim whose question was
   * answered at the same time has its grant already: to take it for the next claim would make a second holder.
   */
  takePushed(): PushedGrant | undefined {
    const pushed = this.#pushed;
    this.#pushed = undefined;
    return pushed !== undefined && pushed.claimId === this.asking?.id ? pushed.grant : undefined;
  }

  /** Resolves after `ms` or at a wake, whichever is first. */
  sleep(ms: number): Promise<void> {
    if (this.woken) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = (): void => {
        this.#resume = undefined;
        this.clock.clearTimer(timer);
        resolve();
      };
      const timer = this.clock.setTimer(resume, ms);
      this.#resume = resume;
    });
  }
}
