import { hostname } from 'node:os';
import {
  modeOf,
  READER,
  type HolderView,
  type ProcessView,
  type PushedGrant,
  type Wake,
} from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { inThisContext } from '../../core/context.js';
import {
  LockAbortedError,
  LockBusyError,
  LockClosedError,
  LockWaitTimeoutError,
  type BackendUnavailableError,
} from '../../core/errors.js';
import type { LockSettings } from '../../core/options/options.js';
import type { WakeableSleep } from '../../runtime/wakeable-sleep.js';
import type { Hold } from '../holding/hold.js';
import type { Lease } from '../holding/lease.js';
import { QueuedSynchronizer, type Waiter, type QueueOwner } from '../waiting/queued-synchronizer.js';
import type { LeaveReason, WaiterRegistry } from '../waiting/waiter-registry.js';
import type { Attempt } from './attempt.js';

const LOCAL: ProcessView = { host: hostname(), pid: process.pid };

/** A caller, in the queue or refused before. */
type WaitingCaller = Pick<Waiter<Lease>, 'settings' | 'arrival' | 'enqueuedAt'>;

/** What the states of an engine have in common, and call back. */
export interface ResourceStateOwner {
  readonly registry: WaiterRegistry;
  drop(state: ResourceState): void;
  /** Waiters may be served now, since one before them has left. */
  resume(state: ResourceState): void;
}

/**
 * Callers of this process for one fair lock: each has a state of its own, since they are served in
 * order of arrival.
 */
export interface FairGroup {
  readonly states: Set<ResourceState>;
  waiterCount: number;
}

/**
 * The state of one resource in this process: its waiters, its holds, and the last answer of the
 * backend.
 */
export class ResourceState implements QueueOwner<Lease> {
  /** The attempt whose claim is sent. */
  currentAttempt: Attempt | undefined;
  /** The waiting loop runs. */
  isLoopRunning = false;
  /** The sleep of the waiting loop; undefined while it does not run. */
  sleep: WakeableSleep | undefined;
  /** The backend has refused the head, which waits. */
  wasRefused = false;
  /** Why the backend did not answer the last request; undefined after an answer. */
  lastError: BackendUnavailableError | undefined;
  #unitsHeld = 0;
  // Most resources have one hold at most.
  #holds: Hold | Set<Hold> | undefined;
  /** Of the latest claim to read. */
  #readHold: Hold | undefined;
  #pushedWake: Wake | undefined;
  #queue: QueuedSynchronizer<Lease> | undefined;
  #lastHolder: { readonly view: HolderView; readonly seenAt: number } | undefined;

  constructor(
    readonly resource: string,
    private readonly owner: ResourceStateOwner,
    /** The others on the same resource, when this state is for one caller alone. */
    readonly group?: FairGroup,
  ) {}

  get registry(): WaiterRegistry {
    return this.owner.registry;
  }

  /** The waiters. Made for the first of them, since most resources of a process that holds many locks have no queue. */
  get queue(): QueuedSynchronizer<Lease> {
    this.#queue ??= new QueuedSynchronizer<Lease>(this.registry, this);
    return this.#queue;
  }

  get isHolding(): boolean {
    return this.#holds !== undefined;
  }

  /** The holds of this process. */
  get holds(): Iterable<Hold> {
    const holds = this.#holds;
    if (holds === undefined) return [];
    return holds instanceof Set ? holds : [holds];
  }

  /** @param hold one with its lease */
  add(hold: Hold): void {
    if (hold.shape === READER && hold.isFirst) this.#readHold = hold;
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

  /** The hold that a reader with these settings may join now: a claim within its quantum. */
  joinableReadHold(settings: LockSettings, now: number): Hold | undefined {
    const hold = this.#readHold;
    if (settings.shape !== READER || hold?.isClaimHeld !== true) return undefined;
    return hold.canHandOverTo(settings, now) ? hold : undefined;
  }

  /** No reader joins any more, since the hold may be lost. */
  stopJoining(): void {
    this.#readHold = undefined;
  }

  /** No request with these settings fits beside the holds of this process. */
  isFullFor({ shape }: LockSettings): boolean {
    return this.#unitsHeld + shape.units > shape.capacity;
  }

  /** The head has to wait for a holder of this process. */
  get isFull(): boolean {
    const { head } = this;
    return head !== undefined && this.isFullFor(head.settings);
  }

  get head(): Waiter<Lease> | undefined {
    return this.#queue?.head;
  }

  get waiterCount(): number {
    return this.#queue?.size ?? 0;
  }

  /**
   * The settings of waiters behind the head that ask for the same shape. Only as many as fit beside
   * the head and the holds.
   */
  compatibleWaiters(limit: number): LockSettings[] {
    const others: LockSettings[] = [];
    const { head } = this;
    if (head === undefined) return others;
    const { shape } = head.settings;
    const free = Math.floor((shape.capacity - this.#unitsHeld) / shape.units) - 1;
    for (let one = head.next; one?.settings.shape === shape; one = one.next) {
      if (others.length >= Math.min(free, limit)) break;
      others.push(one.settings);
    }
    return others;
  }

  /** Takes out the head: its turn has come. */
  dequeue(): Waiter<Lease> {
    const head = this.queue.dequeue();
    if (this.group !== undefined) this.group.waiterCount -= 1;
    if (this.waiterCount > 0) return head;
    this.#queue = undefined;
    // Served by a hand-over: the loop has no waiter to ask for any more, and an entry in the server's queue to remove.
    if (this.isLoopRunning) this.wake();
    return head;
  }

  get clock(): Clock {
    return this.registry.clock;
  }

  /** The holder in the way, as far as this process knows. */
  get holder(): HolderView | undefined {
    const now = this.clock.now();
    for (const { id, validUntil } of this.holds) {
      return { id, remainingMs: Math.max(0, validUntil - now), process: LOCAL };
    }
    if (this.#lastHolder === undefined) return undefined;
    const { view, seenAt } = this.#lastHolder;
    return { ...view, remainingMs: Math.max(0, view.remainingMs - (now - seenAt)) };
  }

  recordRefusal(view: HolderView | undefined): void {
    this.lastError = undefined;
    this.wasRefused = true;
    this.#lastHolder = view && { view, seenAt: this.clock.now() };
  }

  rejectionFor(waiter: Waiter<Lease>, reason: LeaveReason): Error {
    const { resource } = this;
    if (reason === 'aborted') return new LockAbortedError(resource, { cause: waiter.signal?.reason });
    if (reason === 'closed') return new LockClosedError(resource);
    if (this.lastError !== undefined) return this.lastError;
    if (reason === 'busy') return new LockBusyError(resource, this.holder);
    return new LockWaitTimeoutError(resource, this.clock.now() - waiter.enqueuedAt, this.holder);
  }

  onEnqueued(waiter: Waiter<Lease>): void {
    if (this.group !== undefined) this.group.waiterCount += 1;
    this.#publishStart(waiter);
  }

  onLeft(reason: LeaveReason, waiter: Waiter<Lease>): void {
    if (this.group !== undefined) this.group.waiterCount -= 1;
    // The reason that `rejectionFor` gives such a caller.
    const isOutage = this.lastError !== undefined && (reason === 'timedOut' || reason === 'busy');
    this.#publishEnd(waiter, isOutage ? 'unavailable' : reason);
    if (this.waiterCount === 0 && !this.isLoopRunning) this.dropIfIdle();
    // No caller needs the claim in flight, or the next one needs another.
    else if (this.head?.settings.shape !== this.currentAttempt?.settings.shape) this.owner.resume(this);
  }

  /** A caller is refused without a place in the queue: its wait has begun and ended. */
  publishRefusal(settings: LockSettings, end: LeaveReason): void {
    this.onRefused(end, { settings, arrival: this.registry.nextArrival(), enqueuedAt: this.clock.now() });
  }

  onRefused(end: LeaveReason, caller: WaitingCaller): void {
    this.#publishStart(caller);
    this.#publishEnd(caller, end);
  }

  #publishStart({ settings, arrival: waitId }: WaitingCaller): void {
    const { events } = this.registry;
    if (!events.hasListeners('wait.started')) return;
    const { resource, waiterCount: waiting } = this;
    const mode = modeOf(settings.shape);
    events.emit('wait.started', { resource, mode, waitId, waiting, inCaller: inThisContext() });
  }

  #publishEnd({ settings, arrival: waitId, enqueuedAt }: WaitingCaller, end: LeaveReason): void {
    const { events } = this.registry;
    if (!events.hasListeners('wait.ended')) return;
    const { resource } = this;
    const mode = modeOf(settings.shape);
    const waitedMs = this.clock.now() - enqueuedAt;
    events.emit('wait.ended', { resource, mode, waitId, end, waitedMs, waitMs: settings.waitMs });
  }

  dropIfIdle(): void {
    if (this.waiterCount === 0 && !this.isHolding && !this.isLoopRunning) this.owner.drop(this);
  }

  /** @param wake the claim that it is for; without one it is for all waiters */
  wake(wake?: Wake): void {
    if (wake !== undefined) {
      if (wake.claimId !== this.currentAttempt?.id) return;
      if (wake.grant !== undefined) this.#pushedWake = wake;
    }
    this.sleep?.wake();
  }

  /**
   * Takes a grant that was pushed for the current claim, once. A claim that was answered at the
   * same time has its grant already: using the push for the next claim would make a second holder.
   */
  takePushedGrant(): PushedGrant | undefined {
    const pushed = this.#pushedWake;
    this.#pushedWake = undefined;
    return pushed !== undefined && pushed.claimId === this.currentAttempt?.id ? pushed.grant : undefined;
  }
}

/** The owner of a hold is always the state of its resource. */
export function stateOf({ owner }: Hold): ResourceState {
  return owner as ResourceState;
}
