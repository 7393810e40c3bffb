import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  RenewOutcome,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from './claim.js';

/** What a backend can do. A primitive names the traits it needs; a mismatch is an error at construction. */
export interface Traits {
  /** Grants in arrival order over processes. */
  readonly fifo: boolean;
  /** Claims of k of n units. */
  readonly weighted: boolean;
  /** Fencing tokens that strictly grow per resource. */
  readonly fencing: boolean;
  /** Wakes are pushed; without it waiters re-ask after 20 to 200 ms. */
  readonly push: boolean;
  /** `holdAtLeastMs` outlives the release (not on session-bound backends). */
  readonly holdAtLeast: boolean;
  /** Locks end with the process that made them: not for production with several processes. */
  readonly inProcess: boolean;
  /** Shortest and longest lease, in ms. */
  readonly minLeaseMs: number;
  readonly maxLeaseMs: number;
  readonly lifetime: 'lease' | 'session';
}

export type Unsubscribe = () => void;

/**
 * The verbs of a lock engine's far side. None waits for another holder; every one may be repeated safely; every one
 * settles within the backend's own `operationTimeoutMs`.
 * @throws BackendUnavailableError when there is no answer; its `executed` says whether the server may have acted
 */
export interface LeaseDriver {
  /** Asks once. Claims of the same tick may share one call. Repeating a claim that was granted answers `granted`. */
  claim(claim: Claim): Promise<Verdict>;
  /** Renews a batch; one outcome per item, in order. Never re-creates a grant. */
  renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]>;
  /** Ends a grant of this id, if there is one, and wakes the next in line. Never touches a foreign grant. */
  withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome>;
  /** Announces the number of open frames. Informative, owner-checked, coalesced, never awaited, never throws. */
  annotate(ref: ClaimRef, note: { readonly depth: number }): void;
  inspect(resource: string): Promise<readonly ClaimView[]>;
  /** `atExpiry`: refuse renewals. `now`: free at once, outside the promise. False when nobody held it. */
  revoke(resource: string, how: 'atExpiry' | 'now'): Promise<boolean>;
  /** Calls `wake` when the resource may be free: late, doubled or missing. Called again after each re-subscription. */
  watch(resource: string, wake: () => void): Promise<Unsubscribe>;
}

export interface Backend {
  /** Shown in errors and events: `memory`, `redis`. */
  readonly name: string;
  readonly traits: Traits;
  readonly leases: LeaseDriver;
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
  onDoubt(listener: (resource: string | undefined) => void): Unsubscribe;
  close(): Promise<void>;
}
