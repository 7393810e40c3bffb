/** Who holds or asks, as far as the backend knows. */
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
}

/**
 * What a process asks of a backend. A mutex is 1 unit of 1; a reader 1 of N and a writer N of N; a semaphore k of n.
 * The id is never used again once a withdraw was sent for it.
 */
export interface Claim {
  readonly id: string;
  readonly resource: string;
  readonly mode: 'exclusive' | 'shared';
  readonly units: number;
  readonly capacity: number;
  /** `fifo`: live waiters that came first count as holders. `any`: processes take turns, callers do not queue. */
  readonly order: 'any' | 'fifo';
  /** Stand in the line when refused. */
  readonly queue: boolean;
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

export interface ClaimRef {
  readonly id: string;
  readonly resource: string;
}

/** A grant to be renewed. */
export interface HeldRef extends ClaimRef {
  readonly leaseMs: number;
  /** What is left of `holdAtLeastMs`, in ms; the server keeps max(lease, this). */
  readonly keepMs: number;
}

/** `revoked`: still held, but no renewal is given any more. `unknown`: no answer; nothing is changed locally. */
export type RenewOutcome = 'renewed' | 'lost' | 'revoked' | 'unknown';

/** `released`: this call ended the grant. `absent`: there was none of this id. */
export type WithdrawOutcome = 'released' | 'absent';

export interface WithdrawOptions {
  /** Keep the resource taken for this many ms more (hold at least); 0 frees it at once. */
  readonly keepMs: number;
  /** This process has no waiter left on the resource: leave the line too. */
  readonly leaveQueue: boolean;
}
