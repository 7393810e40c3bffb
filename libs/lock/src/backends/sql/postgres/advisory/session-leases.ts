import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  RenewOutcome,
  Shape,
  Verdict,
  WithdrawOutcome,
} from '../../../../core/claim.js';
import type { Clock } from '../../../../core/clock.js';
import { UnsupportedByBackendError } from '../../../../core/errors.js';
import { sessionView } from '../../session-locks/session-admin.js';
import { SessionLeases } from '../../session-locks/session-leases.js';
import { advisoryKey } from './advisory-key.js';
import { readAdvisoryLocks } from './advisory-locks.js';
import { BACKEND, isAdvisoryLockShape, type PgSession } from './session.js';

/** Without push the engine asks again by its own measure, and this only bounds that, in ms. */
const LONGEST_POLL_MS = 100;

/**
 * The verbs on advisory locks: readers share a lock, and the statement that takes one brings its
 * fencing token.
 */
export class PostgresSessionLeases extends SessionLeases {
  constructor(
    private readonly session: PgSession,
    clock: Clock,
  ) {
    super(BACKEND, clock, 'use lease rows, or end the session in the database');
  }

  /**
   * If the session answers, it still has its locks, and all grants of it are renewed. Locks of an
   * earlier session are lost, also while no session can be opened: the server has freed them.
   * @throws BackendUnavailableError without an answer: silence extends nothing
   */
  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const sentAt = this.clock.now();
    const isOwned = (ref: HeldRef): boolean => this.own(ref) !== undefined;
    if (!held.some(isOwned)) return held.map(() => 'lost');
    try {
      await this.session.query('SELECT 1', []);
    } catch (error) {
      if (held.every(isOwned)) throw error;
      return held.map((ref) => (isOwned(ref) ? 'unknown' : 'lost'));
    }
    return held.map((ref) => {
      const own = this.own(ref);
      if (own === undefined || own.isReleasing) return 'lost';
      this.extend(own, sentAt + ref.leaseMs);
      return 'renewed';
    });
  }

  /**
   * The holders in any session. Other processes are known by the number of their server process
   * alone.
   */
  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const locks = await readAdvisoryLocks(
      (text, values = []) => this.session.query(text, values),
      advisoryKey(resource),
    );
    const others = locks.filter(({ isOwn }) => !isOwn);
    return [
      ...this.heldOn(resource).map(({ ref: { id, shape }, expiresAt, depth }) => ({
        ...{ resource, id, mode: shape.mode, units: 1, depth },
        ...{ remainingMs: expiresAt - this.clock.now(), revoked: false },
      })),
      ...others.map(({ session, isShared }) => sessionView(resource, session, isShared)),
    ];
  }

  protected assertServed(shape: Shape): void {
    if (isAdvisoryLockShape(shape)) return;
    throw new UnsupportedByBackendError(BACKEND, 'permits and fair locks', 'use lease rows');
  }

  protected async acquire(claim: Claim, sentAt: number): Promise<Verdict> {
    const { resource, shape, leaseMs, tokens } = claim;
    for (const { ref, isReleasing, expiresAt } of this.heldOn(resource))
      if (isReleasing || expiresAt <= sentAt) await this.release(ref);
    const own = this.own(claim);
    if (own !== undefined) {
      // Only an answer shows that the session still has it.
      const token = await this.session.nextToken(tokens);
      if (this.heldOn(resource).includes(own)) {
        this.extend(own, sentAt + leaseMs);
        return { kind: 'granted', token };
      }
    }
    const isShared = isReader(shape);
    const here = this.heldOn(resource);
    const [holder] = here;
    if (holder !== undefined && !(isShared && here.every(({ ref }) => isReader(ref.shape)))) {
      const remainingMs = holder.expiresAt - sentAt;
      return { kind: 'refused', retryInMs: remainingMs, holder: { id: holder.ref.id, remainingMs } };
    }
    const answer = await this.session.acquire(advisoryKey(resource), isShared, tokens);
    if (answer === undefined) return { kind: 'refused', retryInMs: LONGEST_POLL_MS };
    this.hold(claim, sentAt + leaseMs, this.heldOn(resource));
    return { kind: 'granted', token: answer.token };
  }

  protected async release(ref: ClaimRef): Promise<WithdrawOutcome> {
    const own = this.own(ref);
    if (own === undefined) return 'absent';
    const { resource, shape } = own.ref;
    own.isReleasing = true;
    let wasHeld: boolean;
    try {
      wasHeld = await this.session.release(advisoryKey(resource), isReader(shape));
    } catch (error) {
      // Where the session is alive it still has the lock: it was too busy to be asked.
      this.releaseLater(own);
      throw error;
    }
    this.forget(resource, [own]);
    return wasHeld ? 'released' : 'absent';
  }
}

function isReader({ mode }: Shape): boolean {
  return mode === 'shared';
}
