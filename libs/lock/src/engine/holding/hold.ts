import type { ClaimRef, Shape } from '../../core/claim.js';
import type { Terms } from '../../core/options/options.js';
import type { LossReason } from '../../core/errors.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import type { Grant, Tenant } from './grant.js';

/**
 * What is taken off a lease for clock drift: 1 % of it, at least 2 ms (the 1 % is the drift that the promise of
 * docs/safety.md allows).
 */
export function driftMargin(leaseMs: number): number {
  return Math.max(leaseMs * 0.01, 2);
}

/** How long a process may hand over. */
export interface Quantum {
  readonly quantumMs: number;
  readonly quantumGrants: number;
}

/** Where a hold is kept. */
export interface Place {
  readonly resource: string;
}

/** What all holds of an engine have in common. */
export interface HoldGround {
  readonly clock: SuspendAwareClock;
  readonly processId: string;
  readonly quantum: Quantum;
}

// What is true of a hold, in one number.
const REVOKED = 1;
const KEPT = 2;
const RENEWING = 4;
const SHORTENED = 8;

/** Instants that few claims have, 0 for the others, which share one object. */
interface Bounds {
  /** Before it others must stay out (`holdAtLeastMs`), monotonic ms. */
  readonly keepUntil: number;
  readonly doubtUntil: number;
}

const UNBOUND: Bounds = { keepUntil: 0, doubtUntil: 0 };

function boundsOf({ terms: { holdAtLeastMs }, sent, doubtUntil }: Grant): Bounds {
  if (holdAtLeastMs === 0 && doubtUntil === 0) return UNBOUND;
  return { keepUntil: holdAtLeastMs > 0 ? sent + holdAtLeastMs : 0, doubtUntil };
}

/** The id of a claim, never used twice: the random id of the process and a number. */
export function claimId(processId: string, number: number): string {
  return `${processId}:${number}`;
}

/**
 * A claim that the backend granted to this process: what is handed over from lease to lease. A process may have very many
 * of them, so instants are kept in whole ms (rounded to the safe side), which take no memory of their own.
 */
export class Hold implements ClaimRef {
  /** The lease whose turn it is. */
  lease: Tenant | undefined;
  /** When the next renewal is due, monotonic ms; undefined when nobody wants one. */
  renewDue: number | undefined;

  #marks = 0;
  readonly #ground: HoldGround;
  readonly #bounds: Bounds;
  readonly #number: number;
  #nextToken: number;
  #tokensLeft: number;
  #mayLastUntil = 0;
  #grants = 0;
  #confirmedAt = 0;
  #validUntil = 0;
  /** What the machine had slept until then. */
  #sleptMs = 0;
  #quantumEnd: number;
  /** The hold that the claim was granted for, where this is another one of the same claim. */
  #first: Hold | undefined;
  /** Holds of the claim, counted by the first. */
  #holds = 1;

  constructor(
    readonly place: Place,
    grant: Grant,
    ground: HoldGround,
  ) {
    const { clock, quantum } = ground;
    this.#ground = ground;
    this.#number = grant.number;
    this.#nextToken = grant.token;
    this.#tokensLeft = grant.tokens;
    this.#quantumEnd = Math.floor(clock.now() + quantum.quantumMs);
    this.#bounds = boundsOf(grant);
    this.asked(grant.sent + Math.max(grant.leaseMs, grant.terms.holdAtLeastMs));
    this.confirm(grant.sent, grant.leaseMs);
    this.#mark(SHORTENED, grant.leaseMs < grant.terms.leaseMs);
  }

  /** See {@link Grant.doubtUntil}: a withdraw before this instant needs another one after it. */
  get doubtUntil(): number {
    return this.#bounds.doubtUntil;
  }

  /** One more hold of the same claim, for a reader beside this one. Its quantum ends with that of the first. */
  beside(terms: Terms): Hold {
    const first = this.#claim;
    const unknown = { leaseMs: 0, sent: 0, token: 0, tokens: 0 };
    const grant = { ...unknown, number: first.#number, terms, doubtUntil: first.doubtUntil };
    const hold = new Hold(this.place, grant, this.#ground);
    first.#holds += 1;
    hold.#first = first;
    hold.#quantumEnd = first.#quantumEnd;
    hold.#confirmedAt = this.#confirmedAt;
    hold.#validUntil = this.#validUntil;
    hold.#sleptMs = this.#sleptMs;
    hold.#marks = this.#marks & SHORTENED;
    return hold;
  }

  /** Leaves the claim. True when other holds of it go on. */
  leave(): boolean {
    this.#claim.#holds -= 1;
    return this.isClaimHeld;
  }

  /** This hold goes on, or another one of its claim. */
  get isClaimHeld(): boolean {
    return this.#claim.#holds > 0;
  }

  /** Granted by the backend, and not beside another hold. */
  get isFirst(): boolean {
    return this.#first === undefined;
  }

  /** The backend refuses renewals. */
  get isRevoked(): boolean {
    return (this.#marks & REVOKED) !== 0;
  }

  set isRevoked(is: boolean) {
    this.#mark(REVOKED, is);
  }

  /** The keeper looks after it. */
  get isKept(): boolean {
    return (this.#marks & KEPT) !== 0;
  }

  set isKept(is: boolean) {
    this.#mark(KEPT, is);
  }

  /** Granted without being asked for just then, for less than is wanted: its first renewal makes it the whole lease. */
  get isShort(): boolean {
    return (this.#marks & SHORTENED) !== 0;
  }

  /** A renewal is on its way. */
  get isRenewing(): boolean {
    return (this.#marks & RENEWING) !== 0;
  }

  set isRenewing(is: boolean) {
    this.#mark(RENEWING, is);
  }

  get resource(): string {
    return this.place.resource;
  }

  /** What was asked for; of the lease whose turn it is. */
  get shape(): Shape {
    return this.lease!.terms.shape;
  }

  get id(): string {
    return claimId(this.#ground.processId, this.#number);
  }

  /** End of the claim by the local clock, monotonic ms: time before sending + lease − margin. */
  get validUntil(): number {
    return this.#validUntil;
  }

  /** The server was asked for life until then, monotonic ms, and may have given it without our hearing of it. */
  asked(until: number): void {
    const claim = this.#claim;
    claim.#mayLastUntil = Math.max(claim.#mayLastUntil, Math.ceil(until));
  }

  /** When the server has let go by itself at the latest, monotonic ms. */
  get mayLastUntil(): number {
    return this.#claim.#mayLastUntil;
  }

  /** The server has confirmed `leaseMs` from `sent` on. It never shortens a grant, so neither does this. */
  confirm(sent: number, leaseMs: number): void {
    const margin = driftMargin(leaseMs);
    const until = Math.floor(sent + leaseMs - margin);
    if (until <= this.#validUntil) return;
    this.#mark(SHORTENED, false);
    this.#confirmedAt = Math.floor(sent);
    this.#validUntil = until;
    this.#sleptMs = Math.ceil(this.#ground.clock.sleptMs);
  }

  /** Plans the next regular renewal for the lease whose turn it is. */
  planRenewal(): void {
    const { renew, renewAt, leaseMs } = this.lease!.terms;
    // Counted from the end: what a longer lease of an earlier tenant has left needs no renewal yet.
    const life = Math.min(leaseMs, this.#validUntil - this.#confirmedAt);
    this.renewDue = renew && !this.isRevoked ? Math.ceil(this.#validUntil - life * (1 - renewAt)) : undefined;
  }

  /** Counts a turn, and gives it a fencing token of the block; 0 without fencing. */
  takeTurn(): number {
    this.#claim.#grants += 1;
    if (this.#tokensLeft === 0) return 0;
    this.#tokensLeft -= 1;
    return this.#nextToken++;
  }

  /** Whether a fresh grant of `givenMs` is worth using: a third of it is left, and there is a token if one is wanted. */
  serves(terms: Terms, givenMs: number, now: number): boolean {
    return this.#validUntil - now >= Math.min(terms.leaseMs, givenMs) / 3 && this.#hasTokenFor(terms);
  }

  /**
   * Whether the claim may go to the next caller of this process instead of back to the backend: in the quantum, and with
   * enough life left, which is the whole of a fixed lease and a third of a renewed one.
   */
  mayHandOver(terms: Terms, now: number): boolean {
    if (
      now >= this.#quantumEnd ||
      this.#claim.#grants >= this.#ground.quantum.quantumGrants ||
      this.isRevoked ||
      terms.holdAtLeastMs > 0 ||
      terms.shape !== this.shape ||
      now < this.#bounds.keepUntil
    )
      return false;
    const needed = terms.renew
      ? Math.min(terms.leaseMs, this.#givenMs) / 3
      : terms.leaseMs - driftMargin(terms.leaseMs);
    return this.#validUntil - now >= needed && this.#hasTokenFor(terms);
  }

  /** What is left of `holdAtLeastMs`, in whole ms. */
  keepMsAt(now: number): number {
    return Math.max(0, Math.ceil(this.#bounds.keepUntil - now));
  }

  /** Why a lease that is over at `now` has ended. */
  lossReasonAt(now: number): LossReason {
    const tenant = this.lease!;
    if (now >= tenant.grantedAt + tenant.terms.maxHoldMs) return 'maxHold';
    const sleptMs = this.#ground.clock.sleptMs - this.#sleptMs;
    if (now - sleptMs < tenant.endsAt) return 'suspended';
    return this.isRevoked ? 'revoked' : 'expired';
  }

  // What concerns the claim as a whole is known to its first hold.
  get #claim(): Hold {
    return this.#first ?? this;
  }

  // A grant that came by itself begins with less than was asked for; its renewal is due soon.
  get #givenMs(): number {
    return this.isShort ? this.#validUntil - this.#confirmedAt : Infinity;
  }

  #mark(mark: number, is: boolean): void {
    this.#marks = is ? this.#marks | mark : this.#marks & ~mark;
  }

  #hasTokenFor(terms: Terms): boolean {
    return !terms.fencing || this.#tokensLeft > 0;
  }
}
