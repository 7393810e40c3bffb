import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  RenewOutcome,
  Shape,
  Verdict,
  WithdrawOutcome,
} from '../../../core/claim.js';
import type { Clock, Timer } from '../../../core/clock.js';
import { UnsupportedByBackendError } from '../../../core/errors.js';
import type { LeaseDriver, Unsubscribe } from '../../../core/ports/ports.js';
import { SerialExecutor } from '../../../runtime/serial-executor.js';
import { BackendErrors } from '../connection/failures.js';

/** A lock that could not be released is released again after so long, in ms. */
const RELEASE_AGAIN_MS = 1_000;

/** A lock that the session has. */
export interface SessionLock {
  /** The claim that holds it, or that last did. */
  readonly ref: ClaimRef;
  /** The end of the lease, local ms: from then on no claim holds it. */
  expiresAt: number;
  /** From then on it is released, local ms: the end of the lease, or the next try. */
  releaseAt: number;
  depth: number;
  /** Its release has been sent: no claim holds it, though the session may have it. */
  isReleasing: boolean;
}

/**
 * The verbs on locks that live as long as the one session of a process. The server knows the session
 * alone, so the claim that holds a lock, and its lease, are known here. A lock that no claim holds is
 * released; if this process cannot do that, the lock stays until its session ends.
 */
export abstract class SessionLeases implements LeaseDriver {
  /** By resource: one, or the readers that share it. */
  readonly #held = new Map<string, readonly SessionLock[]>();
  /** Verbs on a resource run one at a time, since a session is granted twice what it has. */
  readonly #verbs = new Map<string, SerialExecutor>();
  readonly #errors: BackendErrors;
  #timer: Timer | undefined;
  #firesAt = Infinity;
  #isClosed = false;

  constructor(
    private readonly backend: string,
    protected readonly clock: Clock,
    /** What to use instead where a lock must be revoked. */
    private readonly adviceOnRevoking: string,
  ) {
    this.#errors = new BackendErrors(backend);
  }

  /** Whether a lease is running that would end with the session. */
  get isHolding(): boolean {
    const now = this.clock.now();
    for (const locks of this.#held.values()) if (locks.some(({ expiresAt }) => expiresAt > now)) return true;
    return false;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The session has ended, and all its locks with it. */
  clear(): void {
    this.#held.clear();
    this.#stopTimer();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  async claim(claim: Claim): Promise<Verdict> {
    this.assertOpen();
    this.assertServed(claim.shape);
    return this.#inTurn<Verdict>(claim.resource, () => {
      const sentAt = this.clock.now();
      const isStale = sentAt > claim.notAfter;
      return isStale ? Promise.resolve({ kind: 'stale' }) : this.acquire(claim, sentAt);
    });
  }

  abstract renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]>;

  async withdraw(ref: ClaimRef): Promise<WithdrawOutcome> {
    this.assertOpen();
    return this.#inTurn(ref.resource, () => this.release(ref));
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    const own = this.own(ref);
    if (own !== undefined) own.depth = depth;
  }

  abstract inspect(resource: string): Promise<readonly ClaimView[]>;

  /** @throws UnsupportedByBackendError: only its session can release a lock */
  async revoke(): Promise<boolean> {
    this.assertOpen();
    throw new UnsupportedByBackendError(this.backend, 'revocation', this.adviceOnRevoking);
  }

  /** The server does not tell when a lock is free: the engine asks again. */
  async watch(): Promise<Unsubscribe> {
    this.assertOpen();
    return () => undefined;
  }

  /** @throws UnsupportedByBackendError */
  protected abstract assertServed(shape: Shape): void;

  /**
   * Takes the lock in a turn of its own on the resource.
   * @param sentAt local ms; the lease counts from then on
   */
  protected abstract acquire(claim: Claim, sentAt: number): Promise<Verdict>;

  /** Releases what the claim has, in a turn of its own on the resource. */
  protected abstract release(ref: ClaimRef): Promise<WithdrawOutcome>;

  protected heldOn(resource: string): readonly SessionLock[] {
    return this.#held.get(resource) ?? [];
  }

  protected own({ id, resource }: ClaimRef): SessionLock | undefined {
    return this.heldOn(resource).find(({ ref }) => ref.id === id);
  }

  /** The session has the lock. @param beside the readers that share it */
  protected hold(ref: ClaimRef, expiresAt: number, beside: readonly SessionLock[] = []): void {
    const lock = { ref, expiresAt, releaseAt: expiresAt, depth: 1, isReleasing: false };
    this.#held.set(ref.resource, [...beside, lock]);
    this.#schedule(expiresAt);
  }

  /** The session does not have these any more. */
  protected forget(resource: string, locks = this.heldOn(resource)): void {
    const left = this.heldOn(resource).filter((lock) => !locks.includes(lock));
    if (left.length === 0) this.#held.delete(resource);
    else this.#held.set(resource, left);
    if (this.#held.size === 0) this.#stopTimer();
  }

  protected extend(lock: SessionLock, expiresAt: number): void {
    lock.expiresAt = Math.max(lock.expiresAt, expiresAt);
    lock.releaseAt = lock.expiresAt;
    this.#schedule(lock.releaseAt);
  }

  protected releaseLater(lock: SessionLock): void {
    // The session may have ended meanwhile, and the lock with it.
    if (this.own(lock.ref) !== lock) return;
    lock.releaseAt = this.clock.now() + RELEASE_AGAIN_MS;
    this.#schedule(lock.releaseAt);
  }

  protected assertOpen(): void {
    if (this.#isClosed) throw this.#errors.notExecuted('it is closed');
  }

  /**
   * One timer for all locks. That of a lock that has been released is left to fire. No EarliestTimer:
   * locks are released after a poll, and an instant armed before that would release them twice.
   */
  #schedule(at: number): void {
    if (at >= this.#firesAt || this.#isClosed) return;
    this.#stopTimer();
    this.#firesAt = at;
    // A renewal that was confirmed in time may still be unread, since timers run before sockets are read.
    const release = (): void => this.clock.afterPoll(() => this.#releaseExpired());
    this.#timer = this.clock.setTimer(release, Math.max(0, at - this.clock.now()));
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#firesAt = Infinity;
  }

  #releaseExpired(): void {
    if (this.#isClosed) return;
    this.#stopTimer();
    const now = this.clock.now();
    for (const [resource, locks] of this.#held) {
      for (const { releaseAt } of locks) this.#schedule(releaseAt > now ? releaseAt : now + RELEASE_AGAIN_MS);
      if (locks.some(({ releaseAt }) => releaseAt <= now))
        void this.#inTurn(resource, () => this.#releaseDue(resource));
    }
  }

  async #releaseDue(resource: string): Promise<void> {
    for (const { ref, releaseAt } of this.heldOn(resource)) {
      // Without an answer it is still here, and released again.
      if (releaseAt <= this.clock.now()) await this.release(ref).catch(() => undefined);
    }
  }

  #inTurn<T>(resource: string, work: () => Promise<T>): Promise<T> {
    const verbs = this.#verbs.get(resource) ?? new SerialExecutor();
    this.#verbs.set(resource, verbs);
    const result = verbs.run(work);
    const leave = (): void => {
      if (verbs.isIdle) this.#verbs.delete(resource);
    };
    result.then(leave, leave);
    return result;
  }
}
