import { outsideOfCallers } from '../../core/context.js';
import type { LossReason } from '../../core/errors.js';
import { LockLostError, LockNotHeldError } from '../../core/errors.js';
import type { ReleaseOutcome } from '../../core/events.js';
import { checkPromise } from '../../core/checks.js';
import type { LockSettings } from '../../core/options/options.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import { DeferredRelease } from './deferred-release.js';
import { driftMargin, type Hold } from './hold.js';

/** What a lease asks of the engine. */
export interface LeaseOwner {
  readonly clock: SuspendAwareClock;
  release(lease: Lease): Promise<ReleaseOutcome>;
  extend(lease: Lease, leaseMs: number | undefined): Promise<void>;
}

/** What few leases need, made on first use. */
interface Extras {
  lossReason?: LossReason;
  controller?: AbortController;
  deferredRelease?: DeferredRelease;
}

/**
 * One caller's turn on a lock. It answers from the clock, synchronously. After its release it is
 * dead: further calls repeat the first answer and change nothing.
 */
export class Lease implements AsyncDisposable {
  /**
   * Fencing token: strictly greater than every earlier one of the resource. Pass it to the storage
   * that you write to, and let that refuse smaller ones. 0 when the lock was made with `fencing:
   * false`.
   */
  readonly token: number;
  /** @internal In whole ms, which take no memory of their own. */ readonly grantedAt: number;
  /** @internal */ readonly hold: Hold;
  /** @internal */ settings: LockSettings;
  /** @internal The first answer to `release()`. */ ended: Promise<ReleaseOutcome> | undefined;
  readonly #owner: LeaseOwner;
  readonly #sequence: number;
  /** End of a fixed lease; of one that is over, when it ended. */
  #end: number | undefined;
  #extras: Extras | undefined;

  /** @internal Leases come from `acquire()` and `run()`. */
  constructor(owner: LeaseOwner, hold: Hold, settings: LockSettings, sequence: number) {
    this.#owner = owner;
    this.#sequence = sequence;
    this.hold = hold;
    this.settings = settings;
    const token = hold.nextToken();
    this.token = settings.fencing ? token : 0;
    this.grantedAt = Math.floor(owner.clock.now());
    this.#end = settings.renew
      ? undefined
      : this.grantedAt + settings.leaseMs - driftMargin(settings.leaseMs);
  }

  /** The locked resource: prefix, name and key parts. */
  get resource(): string {
    return this.hold.resource;
  }

  /** Unique per turn: the claim's id and a number. */
  get id(): string {
    return `${this.hold.id}/${this.#sequence}`;
  }

  /**
   * When the lease ends unless it is renewed, in ms of the monotonic clock (`performance.now()`);
   * earlier once the machine has slept, which that clock does not count. The least of the claim's
   * end, its own fixed end and its `maxHoldMs`.
   */
  get validUntil(): number {
    return this.endsAt - this.#owner.clock.sleptMs;
  }

  /** @internal {@link validUntil} by the clock of the engine, which counts sleep. */
  get endsAt(): number {
    const end = Math.min(this.hold.validUntil, this.grantedAt + this.settings.maxHoldMs);
    return this.#end === undefined ? end : Math.min(end, this.#end);
  }

  /** Time left, in ms; 0 when released, lost or over. */
  get remainingMs(): number {
    if (this.ended !== undefined || this.lossReason !== undefined) return 0;
    return Math.max(0, this.endsAt - this.#owner.clock.now());
  }

  /**
   * True while this caller holds the lock, by the clock: no round trip, no await between the check
   * and the next statement.
   */
  get isHeld(): boolean {
    return this.remainingMs > 0;
  }

  /** True once the lease is known to have ended before its release. */
  get isLost(): boolean {
    return this.lossReason !== undefined;
  }

  /** How long it has been, or had been, held, in ms. */
  get heldMs(): number {
    return (this.#isOver ? this.#end! : this.#owner.clock.now()) - this.grantedAt;
  }

  /** @internal Set once it is known to have ended before its release. */
  get lossReason(): LossReason | undefined {
    return this.#extras?.lossReason;
  }

  /** @internal */
  set lossReason(reason: LossReason) {
    (this.#extras ??= {}).lossReason = reason;
  }

  /** @throws LockLostError when the lease is over, LockNotHeldError after its release */
  assertHeld(): void {
    if (this.isHeld) return;
    throw this.ended !== undefined && this.lossReason === undefined
      ? new LockNotHeldError(this.resource)
      : this.lossError();
  }

  /** Aborts with a `LockLostError` when the lease is lost; never by a release. Made on first use. */
  get signal(): AbortSignal {
    const extras = (this.#extras ??= {});
    if (extras.controller === undefined) {
      extras.controller = new AbortController();
      if (this.isLost) extras.controller.abort(this.lossError());
    }
    return extras.controller.signal;
  }

  /**
   * Renews now, once; a fixed lease ends `leaseMs` later than now. Never shortens.
   * @param leaseMs the lock's own `leaseMs` by default; whole ms within the backend's bounds
   * @throws LockLostError, LockNotHeldError, InvalidOptionError; LockRevokedError when renewals are refused, and
   * BackendUnavailableError when there was no answer: the old deadline stands
   */
  extend(leaseMs?: number): Promise<void> {
    return this.#owner.extend(this, leaseMs);
  }

  /**
   * Keeps the lock until `work` has settled, whatever happens before: `release()`, the end of the
   * `run` or of the decorated method. Use it for a transaction that commits after the code that
   * holds the lock has ended. The lock must last until after the commit, or the next holder reads
   * data that is about to change. Several may be given; the last one counts. The lease is renewed
   * meanwhile, so bound the wait with `maxHoldMs`. A rejection ends it too, and stays yours to
   * handle.
   * @throws LockLostError, LockNotHeldError when the lease is over; InvalidOptionError
   */
  holdUntil(work: PromiseLike<unknown>): void {
    const promise = checkPromise('work', work);
    this.assertHeld();
    const extras = (this.#extras ??= {});
    extras.deferredRelease ??= new DeferredRelease(() => void (this.ended ?? this.#owner.release(this)));
    extras.deferredRelease.add(promise);
  }

  /**
   * Gives the lock back and settles within the backend's `operationTimeoutMs`; never throws.
   * `released`: it was held to the end. `lost`: it had ended before. `unconfirmed`: the backend did
   * not answer; the release is repeated in the background until it is confirmed or the lease has
   * run out. `deferred`: it is held on, until what `holdUntil()` was given has settled.
   */
  release(): Promise<ReleaseOutcome> {
    if (this.ended !== undefined) return this.ended;
    const deferredRelease = this.#extras?.deferredRelease;
    const deferred = deferredRelease !== undefined && this.isHeld ? deferredRelease.defer() : undefined;
    return deferred ?? this.#owner.release(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /** @internal */
  lossError(): LockLostError {
    // Before the loss is declared, the hold knows why it is over.
    const isActive = this.hold.lease === this;
    const reason =
      this.lossReason ?? (isActive ? this.hold.lossReasonAt(this.#owner.clock.now()) : 'expired');
    return new LockLostError(this.resource, reason, this.heldMs);
  }

  /** @internal The server has confirmed `leaseMs` from `sentAt` on. */
  extendTo(sentAt: number, leaseMs: number): void {
    if (this.#end === undefined) return;
    this.#end = Math.max(this.#end, sentAt + leaseMs - driftMargin(leaseMs));
  }

  /** @internal */
  end(outcome: Promise<ReleaseOutcome>): Promise<ReleaseOutcome> {
    if (!this.#isOver) this.#end = this.#owner.clock.now();
    this.ended = outcome;
    return outcome;
  }

  /** @internal Final: a lost lease stays lost. */
  lose(reason: LossReason): void {
    this.lossReason = reason;
    this.#end = this.#owner.clock.now();
    const controller = this.#extras?.controller;
    // Its listeners are not part of the call chain in which the loss was noticed.
    if (controller !== undefined) outsideOfCallers(() => controller.abort(this.lossError()));
  }

  get #isOver(): boolean {
    return this.ended !== undefined || this.lossReason !== undefined;
  }
}
