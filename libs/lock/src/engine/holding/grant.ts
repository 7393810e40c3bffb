import type { LossReason } from '../../core/errors.js';
import type { LockSettings } from '../../core/options/options.js';

/** The lease whose turn it is, as its hold sees it. */
export interface ActiveLease {
  readonly id: string;
  readonly resource: string;
  readonly settings: LockSettings;
  /** Fencing token; 0 without fencing. */
  readonly token: number;
  readonly grantedAt: number;
  /** By the clock of the engine, in ms. */
  readonly endsAt: number;
  readonly remainingMs: number;
  readonly heldMs: number;
  readonly lossReason: LossReason | undefined;
  lose(reason: LossReason): void;
}

/** A granted claim. */
export interface ClaimGrant {
  /** Number of the claim in this process. */
  readonly number: number;
  readonly settings: LockSettings;
  /** Life that was asked for, in ms. */
  readonly leaseMs: number;
  /** Before the request was sent, ms of the engine's clock. */
  readonly sentAt: number;
  /** First fencing token of the block; 0 without fencing. */
  readonly token: number;
  readonly tokens: number;
  /**
   * An earlier request for the same claim, without an answer, may be executed until this instant; 0
   * when there is none.
   */
  readonly inDoubtUntil: number;
}
