import { hostname } from 'node:os';
import type { HolderView, ProcessView } from '../core/claim.js';
import type { Clock } from '../core/clock.js';
import {
  LockAbortedError,
  LockBusyError,
  LockClosedError,
  LockWaitTimeoutError,
  type BackendUnavailableError,
} from '../core/errors.js';
import type { Hold } from './hold.js';
import type { Lease } from './lease.js';
import { QueuedSynchronizer, type Competitor, type QueueOwner } from './queued-synchronizer.js';
import type { Departure, WaitingRoom } from './waiting-room.js';

const LOCAL: ProcessView = { host: hostname(), pid: process.pid };

/** What all seats of an engine have in common. */
export interface SeatHouse {
  readonly room: WaitingRoom;
  dropSeat(seat: Seat): void;
}

/** The state of one resource in this process: who waits, what is held, and what the backend said last. */
export class Seat implements QueueOwner<Lease> {
  hold: Hold | undefined;
  /** The waiting loop runs. */
  isContending = false;
  /** Somebody said that asking again may be worth it. */
  woken = false;
  /** Why the backend did not answer the last question; undefined after an answer. */
  lastError: BackendUnavailableError | undefined;
  #queue: QueuedSynchronizer<Lease> | undefined;
  #lastHolder: { readonly view: HolderView; readonly seenAt: number } | undefined;
  #resume: (() => void) | undefined;

  constructor(
    readonly resource: string,
    private readonly house: SeatHouse,
  ) {}

  get room(): WaitingRoom {
    return this.house.room;
  }

  /** Who waits here. Made when somebody comes, since most seats of a process that holds many locks have no queue. */
  get queue(): QueuedSynchronizer<Lease> {
    this.#queue ??= new QueuedSynchronizer<Lease>(this.room, this);
    return this.#queue;
  }

  get head(): Competitor<Lease> | undefined {
    return this.#queue?.head;
  }

  get waiting(): number {
    return this.#queue?.size ?? 0;
  }

  /** Takes out the head: its turn has come. */
  shift(): Competitor<Lease> {
    const head = this.queue.shift();
    if (this.waiting === 0) this.#queue = undefined;
    return head;
  }

  get clock(): Clock {
    return this.room.clock;
  }

  /** Who is in the way, as far as is known here. */
  get holder(): HolderView | undefined {
    const now = this.clock.now();
    if (this.hold !== undefined) {
      return { id: this.hold.id, remainingMs: Math.max(0, this.hold.validUntil - now), process: LOCAL };
    }
    if (this.#lastHolder === undefined) return undefined;
    const { view, seenAt } = this.#lastHolder;
    return { ...view, remainingMs: Math.max(0, view.remainingMs - (now - seenAt)) };
  }

  sawHolder(view: HolderView | undefined): void {
    this.lastError = undefined;
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
    const { events } = this.room;
    if (!events.wants('competitor.arrived')) return;
    events.emit('competitor.arrived', { resource: this.resource, waiting: this.waiting });
  }

  left(end: Departure): void {
    const { events } = this.room;
    if (events.wants('competitor.destroyed'))
      events.emit('competitor.destroyed', { resource: this.resource, end });
    if (this.waiting > 0) return;
    if (this.isContending) this.wake();
    else this.dropIfIdle();
  }

  dropIfIdle(): void {
    if (this.waiting === 0 && this.hold === undefined && !this.isContending) this.house.dropSeat(this);
  }

  wake(): void {
    this.woken = true;
    this.#resume?.();
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
