import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  RenewOutcome,
  Verdict,
  WithdrawOutcome,
} from '../../../core/claim.js';
import type { Clock, Timer } from '../../../core/clock.js';
import { UnsupportedByBackendError } from '../../../core/errors.js';
import type { LeaseDriver, Unsubscribe } from '../../../core/ports.js';
import { advisoryKey } from './advisory-key.js';
import { isWhole, type Session } from './session.js';

/** One advisory lock of the session. */
interface Held {
  readonly ref: ClaimRef;
  readonly isShared: boolean;
  until: number;
  depth: number;
  timer: Timer | undefined;
}

/** Without push the engine asks again by its own measure; this only has to be some time. */
const RETRY_MS = 100;
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
    private readonly onDoubt: (resource: string | undefined) => void,
  ) {
    session.onLost(() => this.#forget());
  }

  claim(claim: Claim): Promise<Verdict> {
    return this.#inTurn(claim.resource, () => this.#claim(claim));
  }

  /** The session answers, so it has what it had: then all grants of it are renewed. */
  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const sentAt = this.clock.now();
    try {
      await this.session.ask('SELECT 1', []);
    } catch {
      // The session has ended with its connection, or there is none.
    }
    return held.map((ref) => {
      const own = this.#own(ref);
      if (own === undefined) return 'lost';
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
    const own = this.#own(claim);
    if (own !== undefined) {
      this.#prolong(own, sentAt + leaseMs);
      return { kind: 'granted', token: await this.session.token(tokens) };
    }
    const here = this.#held.get(resource) ?? [];
    const [holder] = here;
    if (holder !== undefined && !(isShared && here.every((one) => one.isShared))) {
      const remainingMs = holder.until - sentAt;
      return { kind: 'refused', retryInMs: remainingMs, holder: { id: holder.ref.id, remainingMs } };
    }
    const answer = await this.session.take(advisoryKey(resource), isShared, tokens);
    if (answer === undefined) return { kind: 'refused', retryInMs: RETRY_MS };
    const held: Held = { ref: claim, isShared, until: 0, depth: 1, timer: undefined };
    this.#held.set(resource, [...(this.#held.get(resource) ?? []), held]);
    this.#prolong(held, sentAt + leaseMs);
    return { kind: 'granted', token: answer.token };
  }

  async #giveBack(held: Held): Promise<WithdrawOutcome> {
    this.#remove(held);
    const { resource } = held.ref;
    await this.session.give(advisoryKey(resource), held.isShared);
    return 'released';
  }

  #own({ id, resource }: ClaimRef): Held | undefined {
    return this.#held.get(resource)?.find(({ ref }) => ref.id === id);
  }

  #prolong(held: Held, until: number): void {
    if (until <= held.until) return;
    held.until = until;
    if (held.timer !== undefined) this.clock.clearTimer(held.timer);
    held.timer = this.clock.setTimer(() => {
      // Without an answer the session is dropped, and its locks with it.
      this.withdraw(held.ref).catch(() => undefined);
    }, until - this.clock.now());
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
    if (lost.length > 0) this.onDoubt(undefined);
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
