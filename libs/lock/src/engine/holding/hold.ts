import type { ClaimRef, Shape } from '../../core/claim.js';
import type { LockSettings } from '../../core/options/options.js';
import type { LossReason } from '../../core/errors.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import type { ClaimGrant, ActiveLease } from './grant.js';

/**
 * Deducted from a lease for clock drift: 1 % of it, at least 2 ms. The 1 % is the drift that the
 * promise of docs/safety/README.md allows.
 */
export function driftMargin(leaseMs: number): number {
  return Math.max(leaseMs * 0.01, 2);
}

/** How long a process may hand over. */
export interface Quantum {
  readonly quantumMs: number;
  readonly quantumGrants: number;
}

/** What keeps a hold: the state of its resource. */
export interface HoldOwner {
  readonly resource: string;
}

/** What all holds of an engine share. */
export interface HoldDeps {
  readonly clock: SuspendAwareClock;
  readonly processId: string;
  readonly quantum: Quantum;
}

// Facts about a hold, as bits of one number.
const REVOKED = 1;
const KEPT = 2;
const RENEWING = 4;
const SHORTENED = 8;

/** Instants that few claims have, 0 for the others, which share one object. */
interface HoldBounds {
  /** Before it others must stay out (`holdAtLeastMs`), monotonic ms. */
  readonly keepUntil: number;
  readonly inDoubtUntil: number;
}

const UNBOUNDED: HoldBounds = { keepUntil: 0, inDoubtUntil: 0 };

function boundsOf({ settings: { holdAtLeastMs }, sentAt, inDoubtUntil }: ClaimGrant): HoldBounds {
  if (holdAtLeastMs === 0 && inDoubtUntil === 0) return UNBOUNDED;
  return { keepUntil: holdAtLeastMs > 0 ? sentAt + holdAtLeastMs : 0, inDoubtUntil };
}

/** The id of a claim, never used twice: the random id of the process and a number. */
export function claimId(processId: string, number: number): string {
  return `${processId}:${number}`;
}

/**
 * A claim that the backend granted to this process; it is handed over from lease to lease. A
 * process may have very many. So instants are kept in whole ms (rounded to the safe side), which
 * take no memory of their own.
 */
export class Hold implements ClaimRef {
  /** The lease whose turn it is. */
  lease: ActiveLease | undefined;
  /** When the next renewal is due, monotonic ms; undefined when none is wanted. */
  renewDue: number | undefined;

  #flags = 0;
  readonly #deps: HoldDeps;
  readonly #bounds: HoldBounds;
  readonly #number: number;
  #firstFreeToken: number;
  #tokensLeft: number;
  #mayLastUntil = 0;
  #grantCount = 0;
  #confirmedAt = 0;
  #validUntil = 0;
  /** What the machine had slept until then. */
  #sleptMs = 0;
  #quantumEnd: number;
  /** The hold that the claim was granted for, where this is another one of the same claim. */
  #first: Hold | undefined;
  /** Holds of the claim, counted by the first. */
  #holdCount = 1;

  constructor(
    readonly owner: HoldOwner,
    grant: ClaimGrant,
    deps: HoldDeps,
  ) {
    const { clock, quantum } = deps;
    this.#deps = deps;
    this.#number = grant.number;
    this.#firstFreeToken = grant.token;
    this.#tokensLeft = grant.tokens;
    this.#quantumEnd = Math.floor(clock.now() + quantum.quantumMs);
    this.#bounds = boundsOf(grant);
    this.onRequested(grant.sentAt + Math.max(grant.leaseMs, grant.settings.holdAtLeastMs));
    this.confirm(grant.sentAt, grant.leaseMs);
    this.#setFlag(SHORTENED, grant.leaseMs < grant.settings.leaseMs);
  }

  /** See {@link ClaimGrant.inDoubtUntil}: a withdraw before this instant needs another one after it. */
  get inDoubtUntil(): number {
    return this.#bounds.inDoubtUntil;
  }

  /** One more hold of the same claim, for another reader. Its quantum ends with that of the first. */
  forkReader(settings: LockSettings): Hold {
    const first = this.#claim;
    const unknown = { leaseMs: 0, sentAt: 0, token: 0, tokens: 0 };
    const grant = { ...unknown, number: first.#number, settings, inDoubtUntil: first.inDoubtUntil };
    const hold = new Hold(this.owner, grant, this.#deps);
    first.#holdCount += 1;
    hold.#first = first;
    hold.#quantumEnd = first.#quantumEnd;
    hold.#confirmedAt = this.#confirmedAt;
    hold.#validUntil = this.#validUntil;
    hold.#sleptMs = this.#sleptMs;
    hold.#flags = this.#flags & SHORTENED;
    return hold;
  }

  /** Leaves the claim. True when other holds of it go on. */
  leaveClaim(): boolean {
    this.#claim.#holdCount -= 1;
    return this.isClaimHeld;
  }

  /** This hold goes on, or another one of its claim. */
  get isClaimHeld(): boolean {
    return this.#claim.#holdCount > 0;
  }

  /** Granted by the backend, and not beside another hold. */
  get isFirst(): boolean {
    return this.#first === undefined;
  }

  /** The backend refuses renewals. */
  get isRevoked(): boolean {
    return (this.#flags & REVOKED) !== 0;
  }

  set isRevoked(is: boolean) {
    this.#setFlag(REVOKED, is);
  }

  /** The keeper looks after it. */
  get isKept(): boolean {
    return (this.#flags & KEPT) !== 0;
  }

  set isKept(is: boolean) {
    this.#setFlag(KEPT, is);
  }

  /** Granted without being asked for just then, for less than is wanted: its first renewal makes it the whole lease. */
  get isShort(): boolean {
    return (this.#flags & SHORTENED) !== 0;
  }

  /** A renewal is on its way. */
  get isRenewing(): boolean {
    return (this.#flags & RENEWING) !== 0;
  }

  set isRenewing(is: boolean) {
    this.#setFlag(RENEWING, is);
  }

  get resource(): string {
    return this.owner.resource;
  }

  /** What was asked for; of the lease whose turn it is. */
  get shape(): Shape {
    return this.lease!.settings.shape;
  }

  get id(): string {
    return claimId(this.#deps.processId, this.#number);
  }

  /** End of the claim by the local clock, monotonic ms: time before sending + lease − margin. */
  get validUntil(): number {
    return this.#validUntil;
  }

  /** The server was asked for life until then, monotonic ms, and may have given it without our hearing of it. */
  onRequested(until: number): void {
    const claim = this.#claim;
    claim.#mayLastUntil = Math.max(claim.#mayLastUntil, Math.ceil(until));
  }

  /** When the server has let go by itself at the latest, monotonic ms. */
  get mayLastUntil(): number {
    return this.#claim.#mayLastUntil;
  }

  /** The server has confirmed `leaseMs` from `sent` on. It never shortens a grant, so neither does this. */
  confirm(sentAt: number, leaseMs: number): void {
    const margin = driftMargin(leaseMs);
    const until = Math.floor(sentAt + leaseMs - margin);
    if (until <= this.#validUntil) return;
    this.#setFlag(SHORTENED, false);
    this.#confirmedAt = Math.floor(sentAt);
    this.#validUntil = until;
    this.#sleptMs = Math.ceil(this.#deps.clock.sleptMs);
  }

  /** Plans the next regular renewal for the lease whose turn it is. */
  planRenewal(): void {
    const { renew, renewAt, leaseMs } = this.lease!.settings;
    // Counted from the end: what a longer earlier lease has left needs no renewal yet.
    const life = Math.min(leaseMs, this.#validUntil - this.#confirmedAt);
    this.renewDue = renew && !this.isRevoked ? Math.ceil(this.#validUntil - life * (1 - renewAt)) : undefined;
  }

  /** Counts a lease, and gives it the next fencing token of the block; 0 without fencing. */
  nextToken(): number {
    this.#claim.#grantCount += 1;
    if (this.#tokensLeft === 0) return 0;
    this.#tokensLeft -= 1;
    return this.#firstFreeToken++;
  }

  /**
   * Whether a fresh grant of `givenMs` is worth using: a third of it is left, and there is a token
   * if one is wanted.
   */
  isUsableFor(settings: LockSettings, givenMs: number, now: number): boolean {
    return this.#validUntil - now >= Math.min(settings.leaseMs, givenMs) / 3 && this.#hasTokenFor(settings);
  }

  /**
   * Whether the claim may go to the next caller of this process instead of back to the backend.
   * This needs the quantum not to be over, and enough life left: all of a fixed lease, a third of a
   * renewed one.
   */
  canHandOverTo(settings: LockSettings, now: number): boolean {
    if (
      now >= this.#quantumEnd ||
      this.#claim.#grantCount >= this.#deps.quantum.quantumGrants ||
      this.isRevoked ||
      settings.holdAtLeastMs > 0 ||
      settings.shape !== this.shape ||
      now < this.#bounds.keepUntil
    )
      return false;
    const needed = settings.renew
      ? Math.min(settings.leaseMs, this.#givenMs) / 3
      : settings.leaseMs - driftMargin(settings.leaseMs);
    return this.#validUntil - now >= needed && this.#hasTokenFor(settings);
  }

  /** The rest of `holdAtLeastMs`, in whole ms. */
  keepMsAt(now: number): number {
    return Math.max(0, Math.ceil(this.#bounds.keepUntil - now));
  }

  /** Why a lease that is over at `now` has ended. */
  lossReasonAt(now: number): LossReason {
    const lease = this.lease!;
    if (now >= lease.grantedAt + lease.settings.maxHoldMs) return 'maxHold';
    const sleptMs = this.#deps.clock.sleptMs - this.#sleptMs;
    if (now - sleptMs < lease.endsAt) return 'suspended';
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

  #setFlag(flag: number, is: boolean): void {
    this.#flags = is ? this.#flags | flag : this.#flags & ~flag;
  }

  #hasTokenFor(settings: LockSettings): boolean {
    return !settings.fencing || this.#tokensLeft > 0;
  }
}
