import type { ClaimRef } from '../core/claim.js';
import type { Clock, Moment } from '../core/clock.js';
import type { Terms } from '../core/options.js';
import type { LossReason } from '../core/errors.js';

/**
 * What is taken off a lease for clock drift: 1 % of it, at least 2 ms (the 1 % is the drift that the promise of
 * docs/safety.md allows).
 */
export function driftMargin(leaseMs: number): number {
  return Math.max(leaseMs * 0.01, 2);
}

/** The lease whose turn it is, as its hold sees it. */
export interface Tenant {
  readonly id: string;
  readonly resource: string;
  readonly terms: Terms;
  readonly grantedAt: number;
  readonly validUntil: number;
  readonly remainingMs: number;
  readonly heldMs: number;
  readonly lossReason: LossReason | undefined;
  lose(reason: LossReason): void;
}

/** What a granted claim consists of. */
export interface Grant {
  readonly id: string;
  readonly terms: Terms;
  /** Life that was asked for, in ms. */
  readonly leaseMs: number;
  /** Before the request was sent. */
  readonly sent: Moment;
  /** First fencing token of the block; 0 without fencing. */
  readonly token: number;
  readonly tokens: number;
  /** An earlier request for the same claim, without an answer, may be executed until this instant; 0 when there is none. */
  readonly doubtUntil: number;
}

/** How long a process may hand over. */
export interface Quantum {
  readonly quantumMs: number;
  readonly quantumGrants: number;
}

/** A claim that the backend granted to this process: what is handed over from lease to lease. */
export class Hold implements ClaimRef {
  readonly id: string;
  readonly resource: string;
  /** End of the quantum, monotonic ms. */
  readonly quantumEnd: number;
  /** Before this instant others must stay out (`holdAtLeastMs`), monotonic ms. */
  readonly keepUntil: number;
  /** See {@link Grant.doubtUntil}: a withdraw before this instant needs another one after it. */
  readonly doubtUntil: number;
  /** The lease whose turn it is. */
  lease: Tenant | undefined;
  /** The backend refuses renewals. */
  isRevoked = false;
  /** A renewal is on its way. */
  isRenewing = false;
  /** When the next renewal is due, monotonic ms; Infinity when nobody wants one. */
  renewDue = Infinity;

  readonly #clock: Clock;
  readonly #mostGrants: number;
  readonly #lastToken: number;
  #nextToken: number;
  #mayLastUntil = 0;
  #grants = 0;
  #confirmedAt = 0;
  #validUntil = 0;
  #wallUntil = 0;

  constructor(resource: string, grant: Grant, quantum: Quantum, clock: Clock) {
    this.id = grant.id;
    this.resource = resource;
    this.doubtUntil = grant.doubtUntil;
    this.#clock = clock;
    this.#nextToken = grant.token;
    this.#lastToken = grant.token + grant.tokens - 1;
    this.quantumEnd = clock.now() + quantum.quantumMs;
    this.#mostGrants = quantum.quantumGrants;
    this.keepUntil = grant.terms.holdAtLeastMs > 0 ? grant.sent.at + grant.terms.holdAtLeastMs : 0;
    this.asked(grant.sent.at + Math.max(grant.leaseMs, grant.terms.holdAtLeastMs));
    this.confirm(grant.sent, grant.leaseMs);
  }

  /** End of the claim by the local clock, monotonic ms: time before sending + lease − margin. */
  get validUntil(): number {
    return this.#validUntil;
  }

  /** The server was asked for life until then, monotonic ms, and may have given it without our hearing of it. */
  asked(until: number): void {
    this.#mayLastUntil = Math.max(this.#mayLastUntil, until);
  }

  /** When the server has let go by itself at the latest, monotonic ms. */
  get mayLastUntil(): number {
    return this.#mayLastUntil;
  }

  /** The server has confirmed `leaseMs` from `sent` on. It never shortens a grant, so neither does this. */
  confirm(sent: Moment, leaseMs: number): void {
    const margin = driftMargin(leaseMs);
    const until = sent.at + leaseMs - margin;
    if (until <= this.#validUntil) return;
    this.#confirmedAt = sent.at;
    this.#validUntil = until;
    this.#wallUntil = sent.wall + leaseMs;
  }

  /** Plans the next regular renewal for the lease whose turn it is. */
  planRenewal(): void {
    const { renew, renewAt, leaseMs } = this.lease!.terms;
    // Counted from the end: what a longer lease of an earlier tenant has left needs no renewal yet.
    const life = Math.min(leaseMs, this.#validUntil - this.#confirmedAt);
    this.renewDue = renew && !this.isRevoked ? this.#validUntil - life * (1 - renewAt) : Infinity;
  }

  /** The monotonic clock may not count system sleep: the wall clock may not run ahead of it by more than the margin. */
  hasSlept(): boolean {
    return this.#clock.wall() >= this.#wallUntil;
  }

  /** Counts a turn, and gives it a fencing token of the block; 0 without fencing. */
  takeTurn(): number {
    this.#grants += 1;
    return this.#lastToken < this.#nextToken ? 0 : this.#nextToken++;
  }

  /** Whether a fresh grant is worth using: the trip has left a third of the lease, and there is a token if one is wanted. */
  serves(terms: Terms, now: number): boolean {
    return this.#validUntil - now >= terms.leaseMs / 3 && this.#hasTokenFor(terms) && !this.hasSlept();
  }

  /**
   * Whether the claim may go to the next caller of this process instead of back to the backend: in the quantum, and with
   * enough life left, which is the whole of a fixed lease and a third of a renewed one.
   */
  mayHandOver(terms: Terms, now: number): boolean {
    if (
      now >= this.quantumEnd ||
      this.#grants >= this.#mostGrants ||
      this.isRevoked ||
      terms.holdAtLeastMs > 0 ||
      now < this.keepUntil
    )
      return false;
    const needed = terms.renew ? terms.leaseMs / 3 : terms.leaseMs - driftMargin(terms.leaseMs);
    return this.#validUntil - now >= needed && this.#hasTokenFor(terms) && !this.hasSlept();
  }

  /** What is left of `holdAtLeastMs`, in whole ms. */
  keepMsAt(now: number): number {
    return Math.max(0, Math.ceil(this.keepUntil - now));
  }

  /** Why a lease that is over at `now` has ended. */
  lossReasonAt(now: number): LossReason {
    const tenant = this.lease!;
    if (now >= tenant.grantedAt + tenant.terms.maxHoldMs) return 'maxHold';
    if (now < tenant.validUntil) return 'suspended';
    return this.isRevoked ? 'revoked' : 'expired';
  }

  #hasTokenFor(terms: Terms): boolean {
    return !terms.fencing || this.#nextToken <= this.#lastToken;
  }
}
