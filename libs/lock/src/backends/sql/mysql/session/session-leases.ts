import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  ProcessView,
  RenewOutcome,
  Shape,
  Verdict,
  WithdrawOutcome,
} from '../../../../core/claim.js';
import type { Clock, Timer } from '../../../../core/clock.js';
import { UnsupportedByBackendError } from '../../../../core/errors.js';
import type { LeaseDriver, Unsubscribe } from '../../../../core/ports/ports.js';
import { BACKEND, notExecuted } from '../connection/failures.js';
import { lockNameOf } from './lock-name.js';
import type { MysqlSessionLink } from './session-link.js';

/** Nothing tells when a named lock is free: the engine asks again after 20 to 200 ms, and this only bounds that. */
const RETRY_MS = 1_000;
/** Locks in one statement, at most. */
const BATCH = 32;
/** A lock that could not be released is released again after so long, in ms. */
const RELEASE_AGAIN_MS = 1_000;
/** A session may take a name several times and must release it as often, so it takes none that it has. */
const ACQUIRE =
  'SELECT IF(IS_USED_LOCK(?) = CONNECTION_ID(), 1, GET_LOCK(?, 0)) AS got, IS_USED_LOCK(?) AS session';
const RELEASE = 'SELECT RELEASE_LOCK(?) AS released';

/** A named lock that the session has. */
interface HeldNamedLock {
  /** The claim that holds it, or that last did. */
  readonly id: string;
  readonly name: string;
  /** The end of the lease, local ms: from then on it belongs to no claim and is released. */
  expiresAt: number;
  depth: number;
  /** Its release has been sent. */
  isReleasing: boolean;
}

/**
 * The verbs on `GET_LOCK`. The server knows the session alone, so the claim that holds a lock is
 * known here. A lock that no claim holds is released: one that was granted after its caller had
 * given up, and one whose lease is over.
 */
export class MysqlSessionLeases implements LeaseDriver {
  readonly #held = new Map<string, HeldNamedLock>();
  /** What the last verb on a resource does: they follow one another, as their statements do. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #timer: Timer | undefined;
  #firesAt = Infinity;
  #isClosed = false;

  constructor(
    private readonly link: () => MysqlSessionLink,
    private readonly ownProcess: ProcessView,
    private readonly clock: Clock,
  ) {}

  /** Whether a lease is running that would end with the session. */
  get isHolding(): boolean {
    const now = this.clock.now();
    for (const { expiresAt } of this.#held.values()) if (expiresAt > now) return true;
    return false;
  }

  /** The session has ended, and all its locks with it. */
  clear(): void {
    this.#held.clear();
    this.#stopTimer();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  async claim(claim: Claim): Promise<Verdict> {
    this.#assertServed(claim.shape);
    return this.#runExclusive(claim.resource, async () => {
      const sentAt = this.clock.now();
      if (sentAt > claim.notAfter) return { kind: 'stale' };
      const own = this.#held.get(claim.resource);
      if (own !== undefined && !own.isReleasing) {
        if (own.id === claim.id) return this.#repeatClaim(claim, own, sentAt);
        if (own.expiresAt > sentAt) return this.#refusedBy(own);
      }
      const name = lockNameOf(claim.resource);
      return this.link().query(ACQUIRE, [name, name, name], ({ rows: [row] }, isLate): Verdict => {
        if (row?.['got'] !== 1) return refusedBySession(row?.['session']);
        // A late grant belongs to no claim until its caller asks again or withdraws.
        const expiresAt = isLate ? sentAt : sentAt + claim.leaseMs;
        this.#hold(claim.resource, { id: claim.id, name, expiresAt, depth: 1, isReleasing: false });
        return { kind: 'granted', token: 0 };
      });
    });
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    this.#assertOpen();
    const outcomes: RenewOutcome[] = [];
    for (let at = 0; at < held.length; at += BATCH)
      outcomes.push(...(await this.#renewBatch(held.slice(at, at + BATCH))));
    return outcomes;
  }

  async withdraw(ref: ClaimRef): Promise<WithdrawOutcome> {
    this.#assertOpen();
    return this.#runExclusive(ref.resource, async () => {
      const own = this.#held.get(ref.resource);
      // A claim without an answer may still be granted, but not after the statement sent now.
      const mayHave = own === undefined ? this.link().isBusy : own.id === ref.id;
      return mayHave ? this.#release(ref.resource) : 'absent';
    });
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    const own = this.#held.get(ref.resource);
    if (own?.id === ref.id) own.depth = depth;
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    this.#assertOpen();
    const own = this.#held.get(resource);
    const is = { resource, mode: 'exclusive', units: 1, revoked: false } as const;
    const remainingMs = (own?.expiresAt ?? 0) - this.clock.now();
    if (own !== undefined && remainingMs > 0) {
      return [{ ...is, id: own.id, depth: own.depth, remainingMs, process: this.ownProcess }];
    }
    return this.link().query(
      'SELECT IS_USED_LOCK(?) AS session',
      [lockNameOf(resource)],
      ({ rows: [row] }) => {
        const session = row?.['session'] ?? undefined;
        if (session === undefined) return [];
        return [{ ...is, id: nameOfSession(session), depth: 1, remainingMs: Infinity }];
      },
    );
  }

  async revoke(): Promise<boolean> {
    this.#assertOpen();
    throw new UnsupportedByBackendError(BACKEND, 'revoking a lock of another session', "use mode: 'rows'");
  }

  async watch(): Promise<Unsubscribe> {
    this.#assertOpen();
    return () => undefined;
  }

  /** A repeat after a lost answer: held, if the session still has it. */
  async #repeatClaim(claim: Claim, own: HeldNamedLock, sentAt: number): Promise<Verdict> {
    return this.link().query(
      'SELECT IS_USED_LOCK(?) = CONNECTION_ID() AS has',
      [own.name],
      ({ rows: [row] }, isLate): Verdict => {
        if (row?.['has'] !== 1) {
          this.#held.delete(claim.resource);
          return refusedBySession(undefined);
        }
        if (!isLate) this.#extend(own, sentAt + claim.leaseMs);
        return { kind: 'granted', token: 0 };
      },
    );
  }

  #release(resource: string): Promise<WithdrawOutcome> {
    const own = this.#held.get(resource);
    if (own !== undefined) own.isReleasing = true;
    return this.link().query(RELEASE, [lockNameOf(resource)], ({ rows: [row] }) => {
      // All that is known was answered before, so it was taken before.
      this.#held.delete(resource);
      return row?.['released'] === 1 ? 'released' : 'absent';
    });
  }

  #hold(resource: string, held: HeldNamedLock): void {
    this.#held.set(resource, held);
    this.#scheduleRelease(held.expiresAt);
  }

  #extend(held: HeldNamedLock, expiresAt: number): void {
    held.expiresAt = Math.max(held.expiresAt, expiresAt);
    this.#scheduleRelease(held.expiresAt);
  }

  /** The timer of a lock that has been released is left to fire: there is one for all. */
  #scheduleRelease(at: number): void {
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

  /** Releases the locks whose leases have ended. */
  #releaseExpired(): void {
    if (this.#isClosed) return;
    this.#stopTimer();
    const now = this.clock.now();
    for (const [resource, { expiresAt }] of this.#held) {
      if (expiresAt <= now) void this.#runExclusive(resource, () => this.#releaseIfExpired(resource));
      this.#scheduleRelease(expiresAt > now ? expiresAt : now + RELEASE_AGAIN_MS);
    }
  }

  async #releaseIfExpired(resource: string): Promise<void> {
    const own = this.#held.get(resource);
    if (own === undefined || own.expiresAt > this.clock.now()) return;
    // Without an answer it is still here, and released again.
    await this.#release(resource).catch(() => undefined);
  }

  async #renewBatch(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const owned = held.map((ref) => {
      const own = this.#held.get(ref.resource);
      return own?.id === ref.id ? own : undefined;
    });
    const asked = owned.filter((own) => own !== undefined);
    if (asked.length === 0) return held.map(() => 'lost');
    const columns = asked.map((_, i) => `IS_USED_LOCK(?) = CONNECTION_ID() AS has${i}`);
    const names = asked.map(({ name }) => name);
    const sentAt = this.clock.now();
    return this.link().query(`SELECT ${columns.join(', ')}`, names, ({ rows: [row] }, isLate) => {
      const isHad = new Set(asked.filter((_, i) => row?.[`has${i}`] === 1));
      return held.map(({ resource, leaseMs }, i) => {
        const own = owned[i];
        // It may have been released since the question was sent.
        if (own === undefined || this.#held.get(resource) !== own || own.isReleasing) return 'lost';
        if (!isHad.has(own)) {
          this.#held.delete(resource);
          return 'lost';
        }
        if (!isLate) this.#extend(own, sentAt + leaseMs);
        return 'renewed';
      });
    });
  }

  /** One after the other on a resource, whatever became of the one before. */
  #runExclusive<T>(resource: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#turns.get(resource) ?? Promise.resolve()).then(work, work);
    this.#turns.set(resource, result);
    const leave = (): void => {
      if (this.#turns.get(resource) === result) this.#turns.delete(resource);
    };
    result.then(leave, leave);
    return result;
  }

  #refusedBy(own: HeldNamedLock): Verdict {
    const { id, expiresAt } = own;
    const holder = { id, remainingMs: Math.max(0, expiresAt - this.clock.now()), process: this.ownProcess };
    return { kind: 'refused', retryInMs: RETRY_MS, holder };
  }

  #assertServed({ mode, capacity, order }: Shape): void {
    this.#assertOpen();
    if (mode === 'exclusive' && capacity === 1 && order === 'any') return;
    throw new UnsupportedByBackendError(BACKEND, `${mode} claims, ${order}, of sessions`, "use mode: 'rows'");
  }

  #assertOpen(): void {
    if (this.#isClosed) throw notExecuted('it is closed');
  }
}

function refusedBySession(session: unknown): Verdict {
  const isKnown = typeof session === 'number';
  const holder = isKnown ? { id: nameOfSession(session), remainingMs: Infinity } : undefined;
  return { kind: 'refused', retryInMs: RETRY_MS, ...(holder && { holder }) };
}

function nameOfSession(session: unknown): string {
  return `session ${String(session)}`;
}
