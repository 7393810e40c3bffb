/** A process that holds or asks, as far as the backend knows it. */
export interface ProcessView {
  readonly host: string;
  readonly pid: number;
  /** The `label` given to the backend, or undefined. */
  readonly label?: string;
}

/** The holder that stood in the way of a refused claim. */
export interface HolderView {
  /** Claim id of the holder; foreign clients (Redisson) show their own `<uuid>:<thread>`. */
  readonly id: string;
  /** Time until the holder's lease ends unless renewed, in ms; Infinity for a foreign lock without an expiry. */
  readonly remainingMs: number;
  /** Process of the holder, when its process row is known. */
  readonly process?: ProcessView;
  /** The node on which it stands in the way, where there are several. */
  readonly node?: string;
}

/** One grant on a resource, as `inspect()` sees it. */
export interface ClaimView extends HolderView {
  readonly resource: string;
  readonly mode: 'exclusive' | 'shared';
  readonly units: number;
  /** Open frames (re-entrant holds) of the holder, as last announced by it. */
  readonly depth: number;
  /** True once `revoke()` refused further renewals of this grant. */
  readonly revoked: boolean;
  /** The nodes that have the grant, where there are several. */
  readonly nodes?: readonly string[];
}

/**
 * The kind of grant that a lock asks for. There is one frozen object per lock, so that claims of
 * one kind are compared by identity. A mutex is 1 unit of 1. A reader is 1 of {@link READERS}, and
 * a writer all of them. A semaphore is k of n, shared.
 */
export interface Shape {
  readonly mode: 'exclusive' | 'shared';
  readonly units: number;
  readonly capacity: number;
  /** `fifo`: live waiters that came first count as holders. `any`: processes take turns, callers do not queue. */
  readonly order: 'any' | 'fifo';
}

/** The capacity of a read-write lock: more readers than there can be. */
export const READERS = 2 ** 31 - 1;

export const MUTEX: Shape = Object.freeze({ mode: 'exclusive', units: 1, capacity: 1, order: 'any' });
export const FAIR_MUTEX: Shape = Object.freeze({ ...MUTEX, order: 'fifo' });
export const READER: Shape = Object.freeze({ mode: 'shared', units: 1, capacity: READERS, order: 'any' });
export const WRITER: Shape = Object.freeze({
  mode: 'exclusive',
  units: READERS,
  capacity: READERS,
  order: 'any',
});

/** k of n permits. @param units from 1 to `capacity`, which is less than {@link READERS} */
export function permits(units: number, capacity: number): Shape {
  return Object.freeze({ mode: 'shared', units, capacity, order: 'any' });
}

/** How a claim shares its resource, for readers of events; '' where nothing is claimed. */
export type ClaimMode = 'exclusive' | 'read' | 'write' | 'permits' | '';

/** @param shape undefined where nothing is claimed */
export function modeOf(shape: Shape | undefined): ClaimMode {
  if (shape === undefined) return '';
  if (shape === READER) return 'read';
  if (shape === WRITER) return 'write';
  return shape.mode === 'exclusive' ? 'exclusive' : 'permits';
}

/** A grant, or what asks for one. */
export interface ClaimRef {
  readonly id: string;
  readonly resource: string;
  readonly shape: Shape;
}

/** What a process asks of a backend. The id is never used again once a withdraw was sent for it. */
export interface Claim extends ClaimRef {
  /** Join the queue of the server when refused. */
  readonly queue: boolean;
  /**
   * In the queue, it may be granted without being asked for again: see {@link PushedGrant}. Never
   * needed for a right answer.
   */
  readonly mayPush: boolean;
  /** Life of the grant in ms, from the server's receipt. */
  readonly leaseMs: number;
  /** The server keeps the grant at least this long, in ms, whatever the lease; 0 = no such bound. */
  readonly holdAtLeastMs: number;
  /** Fencing tokens to reserve; 0 = none wanted. */
  readonly tokens: number;
  /** Monotonic local ms after which the server must refuse this very request as stale; a new send gets a new one. */
  readonly notAfter: number;
}

/** Answer to a claim. */
export type Verdict =
  | {
      readonly kind: 'granted';
      /** First of the reserved fencing tokens; 0 when none was asked for. */
      readonly token: number;
    }
  | {
      readonly kind: 'refused';
      /** When asking again is worth it without a wake, in ms. */
      readonly retryInMs: number;
      readonly holder?: HolderView;
    }
  | { readonly kind: 'stale' };

/** Answer to several claims at once. */
export type JointVerdict =
  | {
      readonly kind: 'granted';
      /** First of the reserved fencing tokens of each claim, in their order; 0 where none was asked for. */
      readonly tokens: readonly number[];
    }
  | {
      readonly kind: 'refused';
      /** The first that is busy. */
      readonly resource: string;
      readonly holder?: HolderView;
    }
  | { readonly kind: 'stale' }
  /** The backend cannot decide them in one step: each has to be asked for by itself. */
  | { readonly kind: 'separate' };

/** A grant to be renewed. */
export interface HeldRef extends ClaimRef {
  readonly leaseMs: number;
  /** The rest of `holdAtLeastMs`, in ms; the server keeps max(lease, this). */
  readonly keepMs: number;
}

/** What a wake may bring: whom it is for, and that the backend has granted on its own what was waited for. */
export interface Wake {
  /** The claim that it is for; a wake without one is for all waiters. */
  readonly claimId: string;
  /** The grant, when there is one; without it the claim is worth asking for again. */
  readonly grant?: PushedGrant;
}

/** A grant without a request: the holder left, and this claim was the first in the queue. */
export interface PushedGrant {
  /** First of the reserved fencing tokens; 0 when none was asked for. */
  readonly token: number;
  readonly tokens: number;
  /** Life of the grant in ms, counted from `since`; short, so that a dead head costs little: renew it at once. */
  readonly leaseMs: number;
  /** An instant of the local clock that is not later than the grant, ms. */
  readonly since: number;
}

/** `revoked`: still held, but no renewal is given any more. `unknown`: no answer; nothing is changed locally. */
export type RenewOutcome = 'renewed' | 'lost' | 'revoked' | 'unknown';

/** `released`: this call ended the grant. `absent`: there was none of this id. */
export type WithdrawOutcome = 'released' | 'absent';

export interface WithdrawOptions {
  /** Keep the resource taken for this many ms more (hold at least); 0 frees it at once. */
  readonly keepMs: number;
  /** This process has no waiter left on the resource: leave the queue too. */
  readonly leaveQueue: boolean;
}
