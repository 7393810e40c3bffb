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
import type { Clock } from '../../../../core/clock.js';
import { UnsupportedByBackendError } from '../../../../core/errors.js';
import { sessionId, sessionView } from '../../session-locks/session-admin.js';
import { SessionLeases, type SessionLock } from '../../session-locks/session-leases.js';
import { BACKEND } from '../connection/failures.js';
import { lockNameOf } from './lock-name.js';
import type { MysqlSessionLink } from './session-link.js';

/** Nothing tells when a named lock is free: the engine asks again after 20 to 200 ms, and this only bounds that. */
const LONGEST_POLL_MS = 1_000;
/** Locks in one statement, at most. */
const BATCH = 32;
/** A session may take a name several times and must release it as often, so it takes none that it has. */
const ACQUIRE =
  'SELECT IF(IS_USED_LOCK(?) = CONNECTION_ID(), 1, GET_LOCK(?, 0)) AS got, IS_USED_LOCK(?) AS session';
const RELEASE = 'SELECT RELEASE_LOCK(?) AS released';

/**
 * The verbs on `GET_LOCK`: one lock on a resource. A late answer counts too, in its order: a lock that
 * was granted after its caller had given up is released, and one whose release was late is gone.
 */
export class MysqlSessionLeases extends SessionLeases {
  constructor(
    private readonly link: () => MysqlSessionLink,
    private readonly ownProcess: ProcessView,
    clock: Clock,
  ) {
    super(BACKEND, clock, 'use mysql(), which keeps leases in rows');
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    this.assertOpen();
    const outcomes: RenewOutcome[] = [];
    for (let at = 0; at < held.length; at += BATCH)
      outcomes.push(...(await this.#renewBatch(held.slice(at, at + BATCH))));
    return outcomes;
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    this.assertOpen();
    const [held] = this.heldOn(resource);
    const remainingMs = (held?.expiresAt ?? 0) - this.clock.now();
    if (held !== undefined && remainingMs > 0) {
      const own = { id: held.ref.id, depth: held.depth, remainingMs, process: this.ownProcess };
      return [{ resource, mode: 'exclusive', units: 1, revoked: false, ...own }];
    }
    return this.link().query(
      'SELECT IS_USED_LOCK(?) AS session',
      [lockNameOf(resource)],
      ({ rows: [row] }) => {
        const session = row?.['session'];
        return typeof session === 'number' ? [sessionView(resource, session, false)] : [];
      },
    );
  }

  protected assertServed({ mode, capacity, order }: Shape): void {
    if (mode === 'exclusive' && capacity === 1 && order === 'any') return;
    throw new UnsupportedByBackendError(
      BACKEND,
      `${mode} claims, ${order}, of sessions`,
      'use mysql(), which keeps leases in rows',
    );
  }

  protected async acquire(claim: Claim, sentAt: number): Promise<Verdict> {
    const [own] = this.heldOn(claim.resource);
    if (own !== undefined && !own.isReleasing) {
      if (own.ref.id === claim.id) return this.#repeatClaim(claim, own, sentAt);
      if (own.expiresAt > sentAt) return this.#refusedBy(own);
    }
    const name = lockNameOf(claim.resource);
    return this.link().query(ACQUIRE, [name, name, name], ({ rows: [row] }, isLate): Verdict => {
      if (row?.['got'] !== 1) return refusedBySession(row?.['session']);
      // A late grant belongs to no claim until its caller asks again or withdraws.
      this.hold(claim, isLate ? sentAt : sentAt + claim.leaseMs);
      return { kind: 'granted', token: 0 };
    });
  }

  protected async release({ id, resource }: ClaimRef): Promise<WithdrawOutcome> {
    const [own] = this.heldOn(resource);
    // A claim without an answer may still be granted, but not after the statement sent now.
    const mayHave = own === undefined ? this.link().isBusy : own.ref.id === id;
    if (!mayHave) return 'absent';
    if (own !== undefined) own.isReleasing = true;
    return this.link().query(RELEASE, [lockNameOf(resource)], ({ rows: [row] }) => {
      // All that is known was answered before, so it was taken before.
      this.forget(resource);
      return row?.['released'] === 1 ? 'released' : 'absent';
    });
  }

  /** A repeat after a lost answer: held, if the session still has it. */
  async #repeatClaim({ resource, leaseMs }: Claim, own: SessionLock, sentAt: number): Promise<Verdict> {
    return this.link().query(
      'SELECT IS_USED_LOCK(?) = CONNECTION_ID() AS has',
      [lockNameOf(resource)],
      ({ rows: [row] }, isLate): Verdict => {
        if (row?.['has'] !== 1) {
          this.forget(resource);
          return refusedBySession(undefined);
        }
        if (!isLate) this.extend(own, sentAt + leaseMs);
        return { kind: 'granted', token: 0 };
      },
    );
  }

  async #renewBatch(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const owned = held.map((ref) => this.own(ref));
    const asked = owned.filter((own) => own !== undefined);
    if (asked.length === 0) return held.map(() => 'lost');
    const columns = asked.map((_, i) => `IS_USED_LOCK(?) = CONNECTION_ID() AS has${i}`);
    const names = asked.map(({ ref }) => lockNameOf(ref.resource));
    const sentAt = this.clock.now();
    return this.link().query(`SELECT ${columns.join(', ')}`, names, ({ rows: [row] }, isLate) => {
      const isHad = new Set(asked.filter((_, i) => row?.[`has${i}`] === 1));
      return held.map(({ resource, leaseMs }, i) => {
        const own = owned[i];
        // It may have been released since the question was sent.
        if (own === undefined || !this.heldOn(resource).includes(own) || own.isReleasing) return 'lost';
        if (!isHad.has(own)) {
          this.forget(resource);
          return 'lost';
        }
        if (!isLate) this.extend(own, sentAt + leaseMs);
        return 'renewed';
      });
    });
  }

  #refusedBy({ ref, expiresAt }: SessionLock): Verdict {
    const remainingMs = Math.max(0, expiresAt - this.clock.now());
    return {
      kind: 'refused',
      retryInMs: LONGEST_POLL_MS,
      holder: { id: ref.id, remainingMs, process: this.ownProcess },
    };
  }
}

function refusedBySession(session: unknown): Verdict {
  const isKnown = typeof session === 'number';
  const holder = isKnown ? { id: sessionId(session), remainingMs: Infinity } : undefined;
  return { kind: 'refused', retryInMs: LONGEST_POLL_MS, ...(holder && { holder }) };
}
