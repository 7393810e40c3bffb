import { WRITER } from '../../core/claim.js';
import { atMost } from '../../core/clock.js';
import { LockBusyError, LockClosedError, LockRevokedError, type LossReason } from '../../core/errors.js';
import type { EventHub, ReleaseOutcome } from '../../core/events.js';
import { onePerProcess } from '../../runtime/one-per-process.js';
import { checkLease, type Terms } from '../../core/options/options.js';
import type { Backend } from '../../core/ports/ports.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import { Contention } from './contention.js';
import type { Hold, Quantum } from '../holding/hold.js';
import type { EngineStats } from './engine-stats.js';
import { JointClaims, type Grantee, type Want } from './joint-claims.js';
import { LeaseKeeper } from '../holding/lease-keeper.js';
import { Lease } from '../holding/lease.js';
import { LeaseNews } from '../holding/lease-news.js';
import type { Seat } from './seat.js';
import { isBusy, Seats } from './seats.js';
import { renewalUnanswered } from '../../core/unavailable.js';
import type { WaitingRoom } from '../waiting/waiting-room.js';
import { WakeHub } from '../waiting/wake-hub.js';
import { Withdrawals, type Withdrawal } from '../../runtime/withdrawals.js';
import { WriteLease, type WriteLeaseOwner } from '../holding/write-lease.js';

const RELEASED: Promise<ReleaseOutcome> = Promise.resolve('released');
const LOST: Promise<ReleaseOutcome> = Promise.resolve('lost');

/**
 * Acquire, hand over and release for one backend: one seat per resource (or per caller, where they are served in order of
 * arrival over all processes), one keeper, one hub.
 */
export class LockEngine implements WriteLeaseOwner {
  /** Its number in this process, from 1: in the order in which they were made. */
  readonly number: number;
  readonly #seats: Seats;
  readonly #news: LeaseNews;
  readonly #keeper: LeaseKeeper;
  readonly #hub: WakeHub;
  readonly #withdrawals: Withdrawals;
  readonly #contention: Contention;
  readonly #joint: JointClaims;
  readonly #listening: readonly (() => void)[];
  #grants = 0;
  #handOvers = 0;
  #onHoldsGone: (() => void) | undefined;

  constructor(
    readonly backend: Backend,
    readonly clock: SuspendAwareClock,
    readonly room: WaitingRoom,
    readonly events: EventHub,
    quantum: Quantum,
  ) {
    const { leases, operationTimeoutMs, nodes } = backend;
    this.number = ++made.engines;
    this.#news = new LeaseNews(events);
    this.#seats = new Seats(room, (seat) => this.#resume(seat));
    this.#keeper = new LeaseKeeper(
      clock,
      () => this.#seats.holds(),
      leases,
      events,
      (hold, reason) => this.#lose(hold, reason),
    );
    this.#hub = new WakeHub(clock, leases);
    this.#withdrawals = new Withdrawals(clock, leases, operationTimeoutMs);
    this.#contention = new Contention({
      clock,
      backend,
      hub: this.#hub,
      withdrawals: this.#withdrawals,
      events,
      quantum,
      onGranted: (seat, hold, tries) => {
        this.#grant(seat, hold, seat.shift(), tries);
        this.#letIn(seat);
      },
    });
    this.#joint = new JointClaims(clock, backend, this.#contention, this.#seats, (seat, hold, grantee) =>
      this.#grant(seat, hold, grantee, 1),
    );
    this.#listening = [backend.onDoubt((name) => this.#keeper.verify(name)), this.#seats.follow(nodes)];
  }

  get stats(): EngineStats {
    return {
      resources: this.#seats.size,
      waiters: this.room.waiting,
      holds: this.#keeper.size,
      pendingWithdrawals: this.#withdrawals.pending,
      watches: this.#hub.size,
      grants: this.#grants,
      handOvers: this.#handOvers,
    };
  }

  /** True when a caller of this process holds the resource. */
  isHeldHere(resource: string): boolean {
    return this.#seats.isHeld(resource);
  }

  /** Waits for the lock as its terms say. The errors are those of `Mutex.acquire()`. */
  acquire(resource: string, terms: Terms, signal: AbortSignal | undefined): Promise<Lease> {
    const once = terms.waitMs === 0;
    const seat = terms.shape.order === 'fifo' ? this.#seats.alone(resource) : this.#seats.of(resource);
    if (once && signal?.aborted !== true && isBusy(seat, terms)) {
      seat.dropIfIdle();
      return Promise.reject(
        this.room.isClosed ? new LockClosedError(resource) : new LockBusyError(resource, seat.holder),
      );
    }
    const isImpatient = once || terms.failFast;
    if (isImpatient && seat.isContending && seat.lastError !== undefined && signal?.aborted !== true) {
      return Promise.reject(seat.lastError);
    }
    const turn = seat.queue.enter({ terms, signal, once });
    this.#letIn(seat);
    // Who does not wait is not kept until the head asks again.
    if (once) this.#contention.resume(seat);
    else this.#contention.start(seat);
    seat.dropIfIdle();
    return turn;
  }

  /**
   * Waits for the first of several locks, and gives its lease; where one question could get all of them, theirs too, in the
   * order of the wants. Each want has its own terms; those of the first say how long to wait.
   */
  acquireTogether(wants: readonly Want[], signal: AbortSignal | undefined): Promise<readonly Lease[]> {
    const [{ resource, terms }] = wants as [Want];
    return (
      this.#joint.acquire(wants, signal) ?? this.acquire(resource, terms, signal).then((lease) => [lease])
    );
  }

  release(lease: Lease): Promise<ReleaseOutcome> {
    if (lease.isLost) return lease.end(LOST);
    const { hold } = lease;
    const now = this.clock.now();
    const seat = seatOf(hold);
    if (now >= lease.endsAt) {
      this.#lose(hold, hold.lossReasonAt(now));
      return lease.end(LOST);
    }
    const next = seat.head;
    if (next !== undefined && hold.mayHandOver(next.terms, now)) {
      // Taken out of the queue before anybody is told: a listener may abort or close what it likes.
      seat.shift();
      void lease.end(RELEASED);
      this.#handOvers += 1;
      this.#news.released(lease, 'released');
      this.#grant(seat, hold, next, 0);
      return RELEASED;
    }
    if (this.#vacate(hold)) {
      void lease.end(RELEASED);
      this.#news.released(lease, 'released');
      return RELEASED;
    }
    const withdrawal = this.#withdrawal(hold, hold.keepMsAt(now));
    const outcome = lease.end(this.#withdraw(lease, withdrawal));
    this.#contention.resume(seat);
    seat.dropIfIdle();
    return outcome;
  }

  /** @throws InvalidOptionError, LockNotHeldError, LockLostError, LockRevokedError, BackendUnavailableError */
  async extend(lease: Lease, leaseMs = lease.terms.leaseMs): Promise<void> {
    checkLease(leaseMs, this.backend.traits);
    lease.assertHeld();
    const { hold, resource } = lease;
    const { outcome, sent } = await this.#keeper.renewNow(hold, leaseMs);
    if (lease.isLost || lease.ended !== undefined) return lease.assertHeld();
    if (outcome === 'revoked') throw new LockRevokedError(resource, lease.remainingMs);
    if (outcome === 'unknown') throw renewalUnanswered(this.backend.name, resource);
    lease.extendTo(sent, leaseMs);
    this.#keeper.keep(hold);
  }

  /** @throws LockNotHeldError, LockLostError, BackendUnavailableError */
  async downgrade(lease: WriteLease): Promise<void> {
    const { hold, resource } = lease;
    const seat = seatOf(hold);
    seat.remove(hold);
    lease.becomeReader();
    seat.add(hold);
    const told = this.#keeper.tell(hold);
    // The readers of this process share the claim, or ask behind that, on the same way.
    this.#resume(seat);
    const outcome = await told;
    if (lease.isLost || lease.ended !== undefined) return lease.assertHeld();
    if (outcome === 'unknown') throw renewalUnanswered(this.backend.name, resource);
  }

  /**
   * Stops granting, rejects the waiters, waits for the holders up to `graceMs`, withdraws what is left and leaves no
   * timer. The backend itself is closed by its owner.
   */
  async close(graceMs: number): Promise<void> {
    const { operationTimeoutMs } = this.backend;
    this.room.close();
    // A listener may close in the middle of a hand-over: let that finish first.
    await Promise.resolve();
    if (this.#keeper.size > 0 && graceMs > 0) {
      await atMost(this.clock, graceMs, new Promise<void>((done) => (this.#onHoldsGone = done)));
    }
    for (const hold of this.#keeper.holds()) {
      // The listeners of one lost lease may have released another.
      if (hold.isKept) this.#lose(hold, 'closed');
    }
    for (const stop of this.#listening) stop();
    // A claim that is still under way may be granted, and the place in line is still taken: both are withdrawn first.
    if (this.#seats.size > 0) await atMost(this.clock, operationTimeoutMs, this.#seats.whenEmpty());
    await this.#withdrawals.drain(operationTimeoutMs);
    this.#hub.close();
    this.#keeper.stop();
  }

  /** The turn of a caller has come. It has its lease before anybody is told. */
  #grant(seat: Seat, hold: Hold, grantee: Grantee, tries: number): void {
    const { terms } = grantee;
    const Kind = terms.shape === WRITER ? WriteLease : Lease;
    const lease = new Kind(this, hold, terms, ++this.#grants);
    hold.lease = lease;
    if (!hold.isKept) seat.add(hold);
    this.#keeper.keep(hold);
    grantee.resolve(lease);
    this.#news.granted(lease, grantee.enteredAt, tries);
  }

  #lose(hold: Hold, reason: LossReason): void {
    const lease = hold.lease!;
    const seat = seatOf(hold);
    seat.stopSharing();
    // What was promised by holdAtLeastMs outlives the loss; and a claim that others share is theirs to lose.
    if (!this.#vacate(hold))
      this.#withdrawals.cancel(this.#withdrawal(hold, hold.keepMsAt(this.clock.now())));
    lease.lose(reason);
    this.#news.lost(lease);
    this.#contention.resume(seat);
    seat.dropIfIdle();
  }

  /** True when readers of this process go on under the same claim. */
  #vacate(hold: Hold): boolean {
    seatOf(hold).remove(hold);
    this.#keeper.drop(hold);
    if (this.#keeper.size === 0) this.#onHoldsGone?.();
    return hold.leave();
  }

  /** Those who are next may be served now. */
  #resume(seat: Seat): void {
    this.#letIn(seat);
    this.#contention.resume(seat);
  }

  /** Lets in those who are next and may share what a reader of this process has, without a trip. */
  #letIn(seat: Seat): void {
    for (let { head } = seat; head !== undefined; { head } = seat) {
      const hold = seat.sharedWith(head.terms, this.clock.now());
      if (hold === undefined) return;
      this.#handOvers += 1;
      this.#grant(seat, hold.beside(head.terms), seat.shift(), 0);
    }
  }

  #withdraw(lease: Lease, withdrawal: Withdrawal): Promise<ReleaseOutcome> {
    return this.#withdrawals.release(withdrawal).then((outcome) => {
      if (outcome !== 'lost') this.#news.released(lease, outcome);
      else {
        lease.lossReason = 'taken';
        this.#news.lost(lease);
      }
      return outcome;
    });
  }

  #withdrawal(hold: Hold, keepMs: number): Withdrawal {
    return {
      ref: hold,
      keepMs,
      leavesQueue: () => seatOf(hold).waiting === 0,
      notBefore: hold.doubtUntil,
      overAt: () => hold.mayLastUntil + this.backend.operationTimeoutMs,
    };
  }
}

/** Engines made in this process so far. */
const made = onePerProcess('engines', () => ({ engines: 0 }));

/** Holds are made for seats alone. */
function seatOf({ place }: Hold): Seat {
  return place as Seat;
}
