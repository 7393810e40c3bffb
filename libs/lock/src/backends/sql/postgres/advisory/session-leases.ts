import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  RenewOutcome,
  Verdict,
  WithdrawOutcome,
} from '../../../../core/claim.js';
import type { Clock, Timer } from '../../../../core/clock.js';
import { UnsupportedByBackendError } from '../../../../core/errors.js';
import type { LeaseDriver, Unsubscribe } from '../../../../core/ports/ports.js';
import { BackendErrors } from '../../connection/failures.js';
import { advisoryKey } from './advisory-key.js';
import { isAdvisoryLockShape, type PgSession } from './session.js';

/** One advisory lock of the session. */
interface HeldAdvisoryLock {
  readonly ref: ClaimRef;
  readonly isShared: boolean;
  /** The end of the lease, local ms: from then on no claim holds it, and it is released. */
  expiresAt: number;
  depth: number;
  timer: Timer | undefined;
  /** Its release was tried: no claim holds it, though the session may have it. */
  isReleasing: boolean;
}

/** Without push the engine asks again by its own measure; this only has to be some time. */
const RETRY_MS = 100;
/** A lock that could not be released is released again after so long, in ms. */
const RELEASE_AGAIN_MS = 1_000;
const BACKEND = 'postgres session';

/**
 * Advisory locks of one session. A grant lasts as long as the session does, and ends with the lease
 * here, by a clock of this process: a lease that is over is given back, and if this process cannot
 * do that, the lock stays until its session ends.
 */
export class PostgresSessionLeases implements LeaseDriver {
  readonly #held = new Map<string, HeldAdvisoryLock[]>();
  /** One after the other for each resource: the session itself would grant a lock twice. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor(
    private readonly session: PgSession,
    private readonly clock: Clock,
    /** Grants are gone. */
    private readonly onSuspect: (resource: string | undefined) => void,
  ) {
    session.onLost(() => this.#sessionLost());
  }

  /** Locks end with the session. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of [...this.#held.values()].flat())
      if (timer !== undefined) this.clock.clearTimer(timer);
  }

  async claim(claim: Claim): Promise<Verdict> {
    this.#assertOpen();
    return this.#runExclusive(claim.resource, () => this.#claim(claim));
  }

  /**
   * The session answers, so it has what it had: then all grants of it are renewed.
   * @throws BackendUnavailableError without an answer: silence extends nothing
   */
  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const sentAt = this.clock.now();
    await this.session.query('SELECT 1', []);
    return held.map((ref) => {
      const own = this.#own(ref);
      if (own === undefined || own.isReleasing) return 'lost';
      this.#extend(own, sentAt + ref.leaseMs);
      return 'renewed';
    });
  }

  async withdraw(ref: ClaimRef): Promise<WithdrawOutcome> {
    this.#assertOpen();
    return this.#runExclusive(ref.resource, async () => {
      const own = this.#own(ref);
      return own === undefined ? 'absent' : this.#release(own);
    });
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    const own = this.#own(ref);
    if (own !== undefined) own.depth = depth;
  }

  /**
   * The holders in any session. Other processes are known by the number of their server process
   * alone.
   */
  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const rows = await this.session.holders(advisoryKey(resource));
    const own = this.#held.get(resource) ?? [];
    const others = rows.filter(({ isOwn }) => !isOwn);
    const units = 1;
    return [
      ...own.map(({ ref, isShared, expiresAt, depth }) => ({
        ...{ id: ref.id, resource, mode: modeOf(isShared), units, depth, revoked: false },
        remainingMs: expiresAt - this.clock.now(),
      })),
      ...others.map(({ pid, isShared }) => ({
        ...{ id: `session:${pid}`, resource, mode: modeOf(isShared), units, depth: 1, revoked: false },
        remainingMs: Infinity,
      })),
    ];
  }

  async revoke(): Promise<boolean> {
    throw new UnsupportedByBackendError(
      BACKEND,
      'revocation',
      'use lease rows, or end the session in the database',
    );
  }

  async watch(): Promise<Unsubscribe> {
    this.#assertOpen();
    return () => undefined;
  }

  async #claim(claim: Claim): Promise<Verdict> {
    const { resource, shape, leaseMs, tokens, notAfter } = claim;
    const isShared = shape.mode === 'shared';
    if (!isAdvisoryLockShape(shape)) {
      throw new UnsupportedByBackendError(BACKEND, 'permits and fair locks', 'use lease rows');
    }
    const sentAt = this.clock.now();
    if (sentAt > notAfter) return { kind: 'stale' };
    for (const held of this.#held.get(resource) ?? [])
      if (held.isReleasing || held.expiresAt <= sentAt) await this.#release(held);
    const own = this.#own(claim);
    if (own !== undefined) {
      // Only an answer shows that the session still has it.
      const token = await this.session.nextToken(tokens);
      if (this.#holds(own)) {
        this.#extend(own, sentAt + leaseMs);
        return { kind: 'granted', token };
      }
    }
    const here = this.#held.get(resource) ?? [];
    const [holder] = here;
    if (holder !== undefined && !(isShared && here.every((one) => one.isShared))) {
      const remainingMs = holder.expiresAt - sentAt;
      return { kind: 'refused', retryInMs: remainingMs, holder: { id: holder.ref.id, remainingMs } };
    }
    const answer = await this.session.acquire(advisoryKey(resource), isShared, tokens);
    if (answer === undefined) return { kind: 'refused', retryInMs: RETRY_MS };
    const held: HeldAdvisoryLock = {
      ref: claim,
      isShared,
      expiresAt: 0,
      depth: 1,
      timer: undefined,
      isReleasing: false,
    };
    this.#held.set(resource, [...(this.#held.get(resource) ?? []), held]);
    this.#extend(held, sentAt + leaseMs);
    return { kind: 'granted', token: answer.token };
  }

  async #release(held: HeldAdvisoryLock): Promise<WithdrawOutcome> {
    const { resource } = held.ref;
    held.isReleasing = true;
    let wasHeld: boolean;
    try {
      wasHeld = await this.session.release(advisoryKey(resource), held.isShared);
    } catch (error) {
      // Where the session is alive it still has the lock: it was too busy to be asked.
      this.#scheduleRelease(held, this.clock.now() + RELEASE_AGAIN_MS);
      throw error;
    }
    this.#remove(held);
    return wasHeld ? 'released' : 'absent';
  }

  #own({ id, resource }: ClaimRef): HeldAdvisoryLock | undefined {
    return this.#held.get(resource)?.find(({ ref }) => ref.id === id);
  }

  #extend(held: HeldAdvisoryLock, expiresAt: number): void {
    if (expiresAt <= held.expiresAt) return;
    held.expiresAt = expiresAt;
    this.#scheduleRelease(held, expiresAt);
  }

  #scheduleRelease(held: HeldAdvisoryLock, at: number): void {
    if (this.#isClosed || !this.#holds(held)) return;
    if (held.timer !== undefined) this.clock.clearTimer(held.timer);
    const release = (): void => void this.#runExclusive(held.ref.resource, () => this.#releaseExpired(held));
    // A renewal that was confirmed in time may still be unread, since timers run before sockets are read.
    held.timer = this.clock.setTimer(() => this.clock.afterPoll(release), at - this.clock.now());
  }

  async #releaseExpired(held: HeldAdvisoryLock): Promise<void> {
    if (!this.#holds(held)) return;
    // The lease was renewed meanwhile, or the timer came early: timers of Node drop fractions of a
    // ms.
    if (!held.isReleasing && held.expiresAt > this.clock.now())
      return this.#scheduleRelease(held, held.expiresAt);
    // Without an answer the session is dropped, and its locks with it.
    await this.#release(held).catch(() => undefined);
  }

  #holds(held: HeldAdvisoryLock): boolean {
    return this.#held.get(held.ref.resource)?.includes(held) === true;
  }

  #remove(held: HeldAdvisoryLock): void {
    const { resource } = held.ref;
    if (held.timer !== undefined) this.clock.clearTimer(held.timer);
    const left = (this.#held.get(resource) ?? []).filter((one) => one !== held);
    if (left.length === 0) this.#held.delete(resource);
    else this.#held.set(resource, left);
  }

  #sessionLost(): void {
    const lost = [...this.#held.values()].flat();
    for (const held of lost) this.#remove(held);
    if (lost.length > 0) this.onSuspect(undefined);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new BackendErrors(BACKEND).notExecuted('it is closed');
  }

  #runExclusive<T>(resource: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#turns.get(resource) ?? Promise.resolve()).then(work, work);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(resource) === settled) this.#turns.delete(resource);
      });
    this.#turns.set(resource, settled);
    return result;
  }
}

function modeOf(isShared: boolean): 'shared' | 'exclusive' {
  return isShared ? 'shared' : 'exclusive';
}
