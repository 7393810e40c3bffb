import type { LossReason } from '../../core/errors.js';
import type { Terms } from '../../core/options/options.js';

/** The lease whose turn it is, as its hold sees it. */
export interface Tenant {
  readonly id: string;
  readonly resource: string;
  readonly terms: Terms;
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

/** What a granted claim consists of. */
export interface Grant {
  /** Number of the claim in this process. */
  readonly number: number;
  readonly terms: Terms;
  /** Life that was asked for, in ms. */
  readonly leaseMs: number;
  /** Before the request was sent, ms of the engine's clock. */
  readonly sent: number;
  /** First fencing token of the block; 0 without fencing. */
  readonly token: number;
  readonly tokens: number;
  /** An earlier request for the same claim, without an answer, may be executed until this instant; 0 when there is none. */
  readonly doubtUntil: number;
}
