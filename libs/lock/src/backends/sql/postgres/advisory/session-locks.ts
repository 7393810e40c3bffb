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
import { advisoryKey } from './advisory-key.js';
import { isWhole, type Session } from './session.js';

/** One advisory lock of the session. */
interface Held {
  readonly ref: ClaimRef;
  readonly isShared: boolean;
  /** The end of the lease, local ms: from then on no claim holds it, and it is released. */
  until: number;
  depth: number;
  timer: Timer | undefined;
  /** Its release was tried: no claim holds it, though the session may have it. */
  isLeaving: boolean;
}

/** Without push the engine asks again by its own measure; this only has to be some time. */
const RETRY_MS = 100;
/** A lock that could not be released is released again after so long, in ms. */
const RELEASE_AGAIN_MS = 1_000;
const BACKEND = 'postgres session';

/**
 * Advisory locks of one session. A grant lasts as long as the session does, and ends with the lease here, by a clock of this
 * process: a lease that is over is given back, and if this process cannot do that, the lock stays until its session ends.
 */
export class SessionLocks implements LeaseDriver {
  readonly #held = new Map<string, Held[]>();
  /** One after the other for each resource: the session itself would grant a lock twice. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly session: Session,
    private readonly clock: Clock,
    /** Grants are gone. */
    private readonly onSuspect: (resource: string | undefined) => void,
  ) {
    session.onLost(() => this.#forget());
  }

  claim(claim: Claim): Promise<Verdict> {
    return this.#inTurn(claim.resource, () => this.#claim(claim));
  }

  /**
   * The session answers, so it has what it had: then all grants of it are renewed.
   * @throws BackendUnavailableError without an answer: silence extends nothing
   */
  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const sentAt = this.clock.now();
    await this.session.ask('SELECT 1', []);
    return held.map((ref) => {
      const own = this.#own(ref);
      if (own === undefined || own.isLeaving) return 'lost';
      this.#prolong(own, sentAt + ref.leaseMs);
      return 'renewed';
    });
  }

  withdraw(ref: ClaimRef): Promise<WithdrawOutcome> {
    return this.#inTurn(ref.resource, async () => {
      const own = this.#own(ref);
      return own === undefined ? 'absent' : this.#giveBack(own);
    });
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    const own = this.#own(ref);
    if (own !== undefined) own.depth = depth;
  }

  /** Who holds it in any session: others are known by the number of their server process alone. */
  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const rows = await this.session.holders(advisoryKey(resource));
    const own = this.#held.get(resource) ?? [];
    const others = rows.filter(({ isOwn }) => !isOwn);
    const units = 1;
    return [
      ...own.map(({ ref, isShared, until, depth }) => ({
        ...{ id: ref.id, resource, mode: modeOf(isShared), units, depth, revoked: false },
        remainingMs: until - this.clock.now(),
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
    return () => undefined;
  }

  async #claim(claim: Claim): Promise<Verdict> {
    const { resource, shape, leaseMs, tokens, notAfter } = claim;
    const isShared = shape.mode === 'shared';
    if (!isWhole(shape)) {
      throw new UnsupportedByBackendError(BACKEND, 'permits and fair locks', 'use lease rows');
    }
    const sentAt = this.clock.now();
    if (sentAt > notAfter) return { kind: 'stale' };
    for (const held of this.#held.get(resource) ?? [])
      if (held.isLeaving || held.until <= sentAt) await this.#giveBack(held);
    const own = this.#own(claim);
    if (own !== undefined) {
      // Only an answer shows that the session still has it.
      const token = await this.session.token(tokens);
      if (this.#holds(own)) {
        this.#prolong(own, sentAt + leaseMs);
        return { kind: 'granted', token };
      }
    }
    const here = this.#held.get(resource) ?? [];
    const [holder] = here;
    if (holder !== undefined && !(isShared && here.every((one) => one.isShared))) {
      const remainingMs = holder.until - sentAt;
      return { kind: 'refused', retryInMs: remainingMs, holder: { id: holder.ref.id, remainingMs } };
    }
    const answer = await this.session.take(advisoryKey(resource), isShared, tokens);
    if (answer === undefined) return { kind: 'refused', retryInMs: RETRY_MS };
    const held: Held = { ref: claim, isShared, until: 0, depth: 1, timer: undefined, isLeaving: false };
    this.#held.set(resource, [...(this.#held.get(resource) ?? []), held]);
    this.#prolong(held, sentAt + leaseMs);
    return { kind: 'granted', token: answer.token };
  }

  async #giveBack(held: Held): Promise<WithdrawOutcome> {
    const { resource } = held.ref;
    held.isLeaving = true;
    let wasHeld: boolean;
    try {
      wasHeld = await this.session.give(advisoryKey(resource), held.isShared);
    } catch (error) {
      // Where the session is alive it still has the lock: it was too busy to be asked.
      this.#releaseAt(held, this.clock.now() + RELEASE_AGAIN_MS);
      throw error;
    }
    this.#remove(held);
    return wasHeld ? 'released' : 'absent';
  }

  #own({ id, resource }: ClaimRef): Held | undefined {
    return this.#held.get(resource)?.find(({ ref }) => ref.id === id);
  }

  #prolong(held: Held, until: number): void {
    if (until <= held.until) return;
    held.until = until;
    this.#releaseAt(held, until);
  }

  #releaseAt(held: Held, at: number): void {
    if (!this.#holds(held)) return;
    if (held.timer !== undefined) this.clock.clearTimer(held.timer);
    const release = (): void => void this.#inTurn(held.ref.resource, () => this.#releaseEnded(held));
    // A renewal that was confirmed in time may still be unread, since timers run before sockets are read.
    held.timer = this.clock.setTimer(() => this.clock.afterPoll(release), at - this.clock.now());
  }

  async #releaseEnded(held: Held): Promise<void> {
    if (!this.#holds(held)) return;
    // Renewed meanwhile, or the timer came early: those of Node leave out what is less than a ms.
    if (!held.isLeaving && held.until > this.clock.now()) return this.#releaseAt(held, held.until);
    // Without an answer the session is dropped, and its locks with it.
    await this.#giveBack(held).catch(() => undefined);
  }

  #holds(held: Held): boolean {
    return this.#held.get(held.ref.resource)?.includes(held) === true;
  }

  #remove(held: Held): void {
    const { resource } = held.ref;
    if (held.timer !== undefined) this.clock.clearTimer(held.timer);
    const left = (this.#held.get(resource) ?? []).filter((one) => one !== held);
    if (left.length === 0) this.#held.delete(resource);
    else this.#held.set(resource, left);
  }

  #forget(): void {
    const lost = [...this.#held.values()].flat();
    for (const held of lost) this.#remove(held);
    if (lost.length > 0) this.onSuspect(undefined);
  }

  #inTurn<T>(resource: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(resource) ?? Promise.resolve()).then(work, work);
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(resource) === settled) this.#turns.delete(resource);
      });
    this.#turns.set(resource, settled);
    return turn;
  }
}

function modeOf(isShared: boolean): 'shared' | 'exclusive' {
  return isShared ? 'shared' : 'exclusive';
}
