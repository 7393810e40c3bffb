import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  JointVerdict,
  RenewOutcome,
  Shape,
  Verdict,
  Wake,
  WithdrawOptions,
  WithdrawOutcome,
} from '../claim.js';
import type { AdminDriver } from './admin.js';
import type { Counter, OperationId, PermitRequest, TakeResult } from './counting.js';
import type { Clock } from '../clock.js';
import type { NodeMonitor } from './node.js';
import type { RecordRef, RecordStart, RecordView } from './records.js';

/** What a backend can do. A primitive names the traits it needs; a mismatch is an error at construction. */
export interface Traits {
  /** Grants in arrival order across processes. */
  readonly fifo: boolean;
  /** Readers beside each other: a read-write lock. */
  readonly shared: boolean;
  /** Claims of k of n units: a semaphore. */
  readonly weighted: boolean;
  /** Fencing tokens that strictly grow per resource. */
  readonly fencing: boolean;
  /** Wakes are pushed; without it waiters poll after 20 to 200 ms. */
  readonly push: boolean;
  /** `holdAtLeastMs` lasts beyond the release (not on session-bound backends). */
  readonly holdAtLeast: boolean;
  /** Locks end with the process that made them: not for production with several processes. */
  readonly inProcess: boolean;
  /** Shortest and longest lease, in ms. */
  readonly minLeaseMs: number;
  readonly maxLeaseMs: number;
  readonly lifetime: 'lease' | 'session';
}

export type Unsubscribe = () => void;

export type Waker = (wake?: Wake) => void;

/**
 * The verbs of a lock engine's backend. None waits for another holder; each may be repeated safely.
 * Each settles within the backend's own `operationTimeoutMs`.
 * @throws BackendUnavailableError when there is no answer; its `executed` says whether the server
 * may have acted
 */
export interface LeaseDriver {
  /** Asks once. Claims of the same tick may share one call. Repeating a claim that was granted answers `granted`. */
  claim(claim: Claim): Promise<Verdict>;
  /**
   * Asks once for several resources, each named once: all are granted, or none is, and then nothing is left behind, not
   * even an entry in a queue. Repeatable as `claim`. Left out where a backend never decides several in one step.
   */
  claimAll?(claims: readonly Claim[]): Promise<JointVerdict>;
  /**
   * Renews a batch; one outcome per item, in order. Never re-creates a grant, and never lets one grow; a writer that is
   * renewed as a reader reads from then on, and others are let in beside it.
   */
  renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]>;
  /** Ends a grant of this id, if there is one, and wakes the next in the queue. Never touches a foreign grant. */
  withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome>;
  /** Announces the number of open frames. Informative, owner-checked, coalesced, never awaited, never throws. */
  annotate(ref: ClaimRef, note: { readonly depth: number }): void;
  /** Every grant on the resource, in no particular order. */
  inspect(resource: string, shape: Shape): Promise<readonly ClaimView[]>;
  /**
   * `atExpiry`: refuse renewals. `now`: free at once, outside the promise.
   * @param holder the claim id of the only grant that is meant; every grant without it
   * @returns false when there was none
   */
  revoke(resource: string, shape: Shape, how: 'atExpiry' | 'now', holder?: string): Promise<boolean>;
  /** Calls `wake` when the resource may be free: late, doubled or missing. Called again after each re-subscription. */
  watch(resource: string, shape: Shape, wake: Waker): Promise<Unsubscribe>;
}

/**
 * The numbers of latches and of counting semaphores. No verb waits; each settles within
 * `operationTimeoutMs`.
 * @throws BackendUnavailableError when there is no answer; LockTypeMismatchError when the name
 * holds another type
 */
export interface CounterDriver {
  /** 0 where there is none. */
  read(counter: Counter): Promise<number>;
  /** Sets the number where there is none, and wakes. False where there is one. */
  create(counter: Counter, value: number, operation: OperationId): Promise<boolean>;
  /**
   * Adds `delta`, which may be negative, and answers what there is then. A latch is not created,
   * stops at zero, and wakes there; a semaphore is created, and wakes when permits were added and
   * some are free.
   */
  add(counter: Counter, delta: number, operation: OperationId): Promise<number>;
  /** Sets it to zero and answers what it was; a latch wakes. */
  clear(counter: Counter, operation: OperationId): Promise<number>;
  /** Takes permits of a semaphore for callers in their order, all or none for each, up to the first that must wait. */
  take(resource: string, requests: readonly number[], operation: OperationId): Promise<TakeResult>;
  /** Gives back what `take` took under this operation, now or later: one that arrives after this takes nothing. */
  undo(resource: string, requests: readonly number[], operation: OperationId): Promise<void>;
  /** Calls `wake` when waiting may be over: late, doubled or missing. Called again after each re-subscription. */
  watch(counter: Counter, wake: () => void): Promise<Unsubscribe>;
}

/**
 * Permits with a lease each. Every verb first takes back those whose lease has ended.
 * @throws as `CounterDriver`
 */
export interface PermitDriver {
  /** Permits that are free. */
  available(resource: string): Promise<number>;
  /** Sets the number of permits where there is none, and wakes. False where there is one. */
  create(resource: string, permits: number, operation: OperationId): Promise<boolean>;
  /** Takes permits for callers in their order, all or none for each, up to the first that must wait. */
  take(resource: string, requests: readonly PermitRequest[], operation: OperationId): Promise<TakeResult>;
  /** Starts the lease of a permit anew. False when it has ended or was released. */
  extend(resource: string, id: string, leaseMs: number, operation: OperationId): Promise<boolean>;
  /**
   * Frees permits, and wakes; answers how many were still held. Under the operation of a `take` it
   * also forbids that: if it arrives after this, it takes nothing.
   */
  release(resource: string, ids: readonly string[], operation: OperationId): Promise<number>;
  /** As that of counters: `wake` when permits may be free. */
  watch(resource: string, wake: () => void): Promise<Unsubscribe>;
}

/**
 * Records that are made once: in flight under a lease, then completed with a value that stays for a
 * while. The backend's clock decides when a record is over; then it counts as absent. Every verb
 * may be repeated safely, and settles within `operationTimeoutMs`.
 * @throws BackendUnavailableError when there is no answer; LockTypeMismatchError when the name
 * holds another type
 */
export interface RecordDriver {
  /**
   * Makes the record if there is none, and answers undefined; otherwise answers the present one. If
   * its owner repeats this in flight, the lease starts anew.
   * @throws BackendUnavailableError when the request came after its time: nothing was done
   */
  begin(start: RecordStart): Promise<RecordView | undefined>;
  /** Starts the lease anew. False when the record is gone, has another owner, or is completed. */
  renew(ref: RecordRef, leaseMs: number): Promise<boolean>;
  /**
   * Leaves a value, for so long. False when the record is gone, has another owner, or is completed
   * with another value; true again when it is repeated.
   */
  complete(ref: RecordRef, value: string, keepMs: number): Promise<boolean>;
  /** Removes a record in flight. False when there is none of this owner. */
  abandon(ref: RecordRef): Promise<boolean>;
  read(resource: string): Promise<RecordView | undefined>;
  /** Removes the record of any owner. False when there was none. */
  remove(resource: string): Promise<boolean>;
}

export interface Backend {
  /** Shown in errors and events: `memory`, `redis`. */
  readonly name: string;
  readonly traits: Traits;
  readonly leases: LeaseDriver;
  /** Latches and counting semaphores, where the backend can serve them. */
  readonly counters?: CounterDriver;
  /** Semaphores whose permits have leases of their own, where the backend can serve them. */
  readonly permits?: PermitDriver;
  /** What idempotency stands on, where the backend can serve it. */
  readonly records?: RecordDriver;
  /** The locks of all processes, where the backend can list them. */
  readonly admin?: AdminDriver;
  /** Identity of this process on the backend: a UUID, the first part of every claim id. */
  readonly processId: string;
  /** Bound on every verb, in ms. */
  readonly operationTimeoutMs: number;
  /** Requests sent to the server so far; 0 for ever where there is none. */
  readonly commands: number;
  /** Resolves when verbs can be served. @throws BackendUnavailableError with the reason */
  ready(): Promise<void>;
  /** Round trip time, in ms. @throws BackendUnavailableError */
  ping(): Promise<number>;
  /** Tells when grants on a resource (or on all: undefined) should be verified now: forced release, reconnection. */
  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe;
  /** The nodes, where there are several. */
  readonly nodes?: NodeMonitor;
  /** Another backend in the same place, as one of several nodes; left out where it cannot be one. */
  asNode?(options: NodeOptions): LockNode;
  close(): Promise<void>;
}

/** Settings for a backend that is one of several nodes under one lock. */
export interface NodeOptions {
  /** The first part of the claim ids that it will be given. */
  readonly processId: string;
  readonly clock: Clock;
  /** Bound on every verb, in ms. */
  readonly operationTimeoutMs: number;
  /** Longest lease, in ms; as long nothing is granted where data may have been lost. */
  readonly maxLeaseMs: number;
  /** A server that has never been guarded: wait for the longest lease too, or trust that no lock is in use. */
  readonly coldStart: 'wait' | 'trust';
  /** A connection serves: the first one, or another. @param run names the run of the server that it leads to */
  onServing(run: string): void;
}

/** One of several nodes: it knows when its data may have been lost, and grants nothing for a while then. */
export interface LockNode extends Backend {
  /** The same in every process that uses the node. */
  readonly id: string;
  /**
   * Lets the fencing tokens of the resource go on behind `token`, if this claim still holds it here.
   * @throws BackendUnavailableError
   */
  raiseToken(ref: ClaimRef, token: number): Promise<'raised' | 'lost'>;
}
