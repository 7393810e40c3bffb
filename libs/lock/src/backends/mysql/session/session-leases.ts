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
} from '../../../core/claim.js';
import type { Clock } from '../../../core/clock.js';
import { UnsupportedByBackendError } from '../../../core/errors.js';
import type { LeaseDriver, Unsubscribe } from '../../../core/ports.js';
import { BACKEND, notSent } from '../failures.js';
import { lockNameOf } from './lock-name.js';
import type { SessionLink } from './session-link.js';

/** Nothing tells when a named lock is free: the engine asks again after 20 to 200 ms, and this only bounds that. */
const RETRY_MS = 1_000;
/** Locks in one statement, at most. */
const BATCH = 32;

/** A named lock that this process has. */
interface Held {
  readonly id: string;
  readonly name: string;
  until: number;
  depth: number;
}

/** The verbs on `GET_LOCK`. The session may take a name twice, so who of this process has it is known here. */
export class SessionLeases implements LeaseDriver {
  readonly #held = new Map<string, Held>();
  /** What the last verb on a resource does: they follow one another, as their statements do. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor(
    private readonly link: () => SessionLink,
    private readonly self: ProcessView,
    private readonly clock: Clock,
  ) {}

  get count(): number {
    return this.#held.size;
  }

  /** The session has ended, and all its locks with it. */
  forget(): void {
    this.#held.clear();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  async claim(claim: Claim): Promise<Verdict> {
    this.#assertServed(claim.shape);
    return this.#inTurn(claim.resource, async () => {
      const sentAt = this.clock.now();
      if (sentAt > claim.notAfter) return { kind: 'stale' };
      const own = this.#held.get(claim.resource);
      if (own !== undefined && own.id !== claim.id) return this.#refusedBy(own);
      const name = lockNameOf(claim.resource);
      if (own !== undefined) return this.#again(claim, own, sentAt);
      return this.link().ask(
        'SELECT GET_LOCK(?, 0) AS got, IS_USED_LOCK(?) AS session',
        [name, name],
        ({ rows: [row] }): Verdict => {
          if (row?.['got'] !== 1) return refusedBySession(row?.['session']);
          this.#held.set(claim.resource, { id: claim.id, name, until: sentAt + claim.leaseMs, depth: 1 });
          return { kind: 'granted', token: 0 };
        },
      );
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
    return this.#inTurn(ref.resource, async () => {
      const own = this.#held.get(ref.resource);
      if (own?.id !== ref.id) return 'absent';
      return this.link().ask('SELECT RELEASE_LOCK(?) AS released', [own.name], ({ rows: [row] }) => {
        this.#held.delete(ref.resource);
        return row?.['released'] === 1 ? 'released' : 'absent';
      });
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
    if (own !== undefined) {
      const remainingMs = own.until - this.clock.now();
      return [{ ...is, id: own.id, depth: own.depth, remainingMs, process: this.self }];
    }
    return this.link().ask('SELECT IS_USED_LOCK(?) AS session', [lockNameOf(resource)], ({ rows: [row] }) => {
      const session = row?.['session'] ?? undefined;
      if (session === undefined) return [];
      return [{ ...is, id: nameOfSession(session), depth: 1, remainingMs: Infinity }];
    });
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
  async #again(claim: Claim, own: Held, sentAt: number): Promise<Verdict> {
    return this.link().ask(
      'SELECT IS_USED_LOCK(?) = CONNECTION_ID() AS has',
      [own.name],
      ({ rows: [row] }): Verdict => {
        if (row?.['has'] !== 1) {
          this.#held.delete(claim.resource);
          return refusedBySession(undefined);
        }
        own.until = Math.max(own.until, sentAt + claim.leaseMs);
        return { kind: 'granted', token: 0 };
      },
    );
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
    return this.link().ask(`SELECT ${columns.join(', ')}`, names, ({ rows: [row] }) => {
      const isHad = new Set(asked.filter((_, i) => row?.[`has${i}`] === 1));
      return held.map(({ resource, leaseMs }, i) => {
        const own = owned[i];
        // It may have been given back since the question was sent.
        if (own === undefined || this.#held.get(resource) !== own) return 'lost';
        if (!isHad.has(own)) {
          this.#held.delete(resource);
          return 'lost';
        }
        own.until = Math.max(own.until, sentAt + leaseMs);
        return 'renewed';
      });
    });
  }

  /** One after the other on a resource, whatever became of the one before. */
  #inTurn<T>(resource: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(resource) ?? Promise.resolve()).then(work, work);
    this.#turns.set(resource, turn);
    const leave = (): void => {
      if (this.#turns.get(resource) === turn) this.#turns.delete(resource);
    };
    turn.then(leave, leave);
    return turn;
  }

  #refusedBy(own: Held): Verdict {
    const { id, until } = own;
    const holder = { id, remainingMs: Math.max(0, until - this.clock.now()), process: this.self };
    return { kind: 'refused', retryInMs: RETRY_MS, holder };
  }

  #assertServed({ mode, capacity, order }: Shape): void {
    this.#assertOpen();
    if (mode === 'exclusive' && capacity === 1 && order === 'any') return;
    throw new UnsupportedByBackendError(BACKEND, `${mode} claims, ${order}, of sessions`, "use mode: 'rows'");
  }

  #assertOpen(): void {
    if (this.#isClosed) throw notSent('it is closed');
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
