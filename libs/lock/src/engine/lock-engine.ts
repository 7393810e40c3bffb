import { atMost, type Clock } from '../core/clock.js';
import {
  BackendUnavailableError,
  LockBusyError,
  LockClosedError,
  LockRevokedError,
  type LossReason,
} from '../core/errors.js';
import type { EventHub, ReleaseOutcome } from '../core/events.js';
import { checkWhole, type Terms } from '../core/options.js';
import type { Backend } from '../core/ports.js';
import { Contention } from './contention.js';
import type { Hold, Quantum, Tenant } from './hold.js';
import { LeaseKeeper } from './lease-keeper.js';
import { Lease, type LeaseOwner } from './lease.js';
import type { Competitor } from './queued-synchronizer.js';
import { Seat, type SeatHouse } from './seat.js';
import type { WaitingRoom } from './waiting-room.js';
import { WakeHub } from './wake-hub.js';
import { Withdrawals, type Withdrawal } from './withdrawals.js';

const RELEASED: Promise<ReleaseOutcome> = Promise.resolve('released');
const LOST: Promise<ReleaseOutcome> = Promise.resolve('lost');

/** Figures of the moment; all are 0 at idle but the last two, which only grow. Subscriptions linger for some seconds. */
export interface EngineStats {
  /** Resources that are held or waited for here. */
  readonly resources: number;
  /** Callers in the queues of this process. */
  readonly waiters: number;
  /** Grants of the backend that this process has. */
  readonly holds: number;
  /** Releases that the backend has not confirmed yet. */
  readonly pendingWithdrawals: number;
  /** Resources whose wakes are subscribed to. */
  readonly watches: number;
  /** Leases given so far, by the backend or by hand-over. */
  readonly grants: number;
  /** Of these, the ones without a trip. */
  readonly handOvers: number;
}

/** Acquire, hand over and release for one backend: one seat per resource, one keeper, one hub. */
export class LockEngine implements LeaseOwner, SeatHouse {
  readonly #seats = new Map<string, Seat>();
  readonly #keeper: LeaseKeeper;
  readonly #hub: WakeHub;
  readonly #withdrawals: Withdrawals;
  readonly #contention: Contention;
  readonly #stopDoubting: () => void;
  #grants = 0;
  #handOvers = 0;
  #onHoldsGone: (() => void) | undefined;
  #onSeatsGone: (() => void) | undefined;

  constructor(
    readonly backend: Backend,
    readonly clock: Clock,
    readonly room: WaitingRoom,
    readonly events: EventHub,
    quantum: Quantum,
  ) {
    const { leases, operationTimeoutMs } = backend;
    this.#keeper = new LeaseKeeper(
      clock,
      () => holdsOf(this.#seats),
      leases,
      events,
      (hold, reason) => this.#lose(hold, reason),
    );
    this.#hub = new WakeHub(clock, leases);
    this.#withdrawals = new Withdrawals(clock, leases, operationTimeoutMs);
    this.#contention = new Contention(
      clock,
      backend,
      this.#hub,
      this.#withdrawals,
      events,
      quantum,
      (seat, hold, tries) => this.#grant(seat, hold, seat.shift(), tries),
    );
    this.#stopDoubting = backend.onDoubt((resource) => this.#keeper.verify(resource));
  }

  now(): number {
    return this.clock.now();
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
    return this.#seats.get(resource)?.hold !== undefined;
  }

  /** Waits for the lock as its terms say. The errors are those of `Mutex.acquire()`. */
  acquire(resource: string, terms: Terms, signal: AbortSignal | undefined): Promise<Lease> {
    const once = terms.waitMs === 0;
    let seat = this.#seats.get(resource);
    if (seat === undefined) {
      seat = new Seat(resource, this);
      this.#seats.set(resource, seat);
    } else if (once && (seat.hold !== undefined || seat.waiting > 0) && signal?.aborted !== true) {
      return Promise.reject(
        this.room.isClosed ? new LockClosedError(resource) : new LockBusyError(resource, seat.holder),
      );
    }
    if (terms.failFast && seat.isContending && seat.lastError !== undefined && signal?.aborted !== true) {
      return Promise.reject(seat.lastError);
    }
    const turn = seat.queue.enter({ terms, signal, once });
    if (seat.hold === undefined) {
      this.#contention.start(seat);
      seat.dropIfIdle();
    }
    return turn;
  }

  release(lease: Lease): Promise<ReleaseOutcome> {
    if (lease.isLost) return lease.end(LOST);
    const { hold } = lease;
    const now = this.clock.now();
    const seat = this.#seats.get(hold.resource)!;
    if (now >= lease.validUntil || hold.hasSlept()) {
      this.#lose(hold, hold.lossReasonAt(now));
      return lease.end(LOST);
    }
    const next = seat.head;
    if (next !== undefined && hold.mayHandOver(next.terms, now)) {
      // Taken out of the queue before anybody is told: a listener may abort or close what it likes.
      seat.shift();
      void lease.end(RELEASED);
      this.#handOvers += 1;
      this.#tellReleased(lease, 'released');
      this.#grant(seat, hold, next, 0);
      return RELEASED;
    }
    this.#vacate(seat, hold);
    const withdrawal = this.#withdrawal(hold, hold.keepMsAt(now));
    const outcome = lease.end(this.#withdraw(lease, withdrawal));
    this.#contention.start(seat);
    seat.dropIfIdle();
    return outcome;
  }

  /** @throws InvalidOptionError, LockNotHeldError, LockLostError, LockRevokedError, BackendUnavailableError */
  async extend(lease: Lease, leaseMs = lease.terms.leaseMs): Promise<void> {
    const { minLeaseMs, maxLeaseMs } = this.backend.traits;
    checkWhole('leaseMs', leaseMs, minLeaseMs, maxLeaseMs);
    lease.assertHeld();
    const { hold, resource } = lease;
    const { outcome, sent } = await this.#keeper.renewNow(hold, leaseMs);
    if (lease.isLost || lease.ended !== undefined) return lease.assertHeld();
    if (outcome === 'revoked') throw new LockRevokedError(resource, lease.remainingMs);
    if (outcome === 'unknown') {
      throw new BackendUnavailableError(this.backend.name, 'no answer to a renewal', 'unknown', { resource });
    }
    lease.extendTo(sent.at, leaseMs);
    this.#keeper.keep(hold);
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
      if (this.#seats.get(hold.resource)?.hold === hold) this.#lose(hold, 'closed');
    }
    this.#stopDoubting();
    // A claim that is still under way may be granted, and the place in line is still taken: both are withdrawn first.
    if (this.#seats.size > 0) {
      await atMost(this.clock, operationTimeoutMs, new Promise<void>((done) => (this.#onSeatsGone = done)));
    }
    await this.#withdrawals.drain(operationTimeoutMs);
    this.#hub.close();
    this.#keeper.stop();
  }

  /** @internal */
  dropSeat(seat: Seat): void {
    if (this.#seats.get(seat.resource) === seat) this.#seats.delete(seat.resource);
    if (this.#seats.size === 0) this.#onSeatsGone?.();
  }

  /** The turn of a competitor has come. It has its lease before anybody is told. */
  #grant(seat: Seat, hold: Hold, competitor: Competitor<Lease>, tries: number): void {
    const lease = new Lease(this, hold, competitor.terms, ++this.#grants);
    hold.lease = lease;
    seat.hold = hold;
    this.#keeper.keep(hold);
    competitor.resolve(lease);
    if (!this.events.wants('lease.granted') && !this.events.wants('lease.handedOver')) return;
    const facts = {
      resource: seat.resource,
      leaseId: lease.id,
      waitedMs: lease.grantedAt - competitor.enteredAt,
    };
    const handedOver = tries === 0;
    if (handedOver) this.events.emit('lease.handedOver', facts);
    this.events.emit('lease.granted', { ...facts, token: lease.token, tries, handedOver });
  }

  #lose(hold: Hold, reason: LossReason): void {
    const lease = hold.lease!;
    const seat = this.#seats.get(hold.resource)!;
    this.#vacate(seat, hold);
    // What was promised by holdAtLeastMs outlives the loss.
    this.#withdrawals.cancel(this.#withdrawal(hold, hold.keepMsAt(this.clock.now())));
    lease.lose(reason);
    this.#tellLost(lease);
    this.#contention.start(seat);
    seat.dropIfIdle();
  }

  #vacate(seat: Seat, hold: Hold): void {
    seat.hold = undefined;
    this.#keeper.drop(hold);
    if (this.#keeper.size === 0) this.#onHoldsGone?.();
  }

  #withdraw(lease: Lease, withdrawal: Withdrawal): Promise<ReleaseOutcome> {
    return this.#withdrawals.release(withdrawal).then((outcome) => {
      if (outcome === 'lost') {
        lease.lossReason = 'taken';
        this.#tellLost(lease);
      } else {
        this.#tellReleased(lease, outcome);
      }
      return outcome;
    });
  }

  #withdrawal(hold: Hold, keepMs: number): Withdrawal {
    return {
      ref: hold,
      keepMs,
      leavesQueue: () => (this.#seats.get(hold.resource)?.waiting ?? 0) === 0,
      notBefore: hold.doubtUntil,
      overAt: () => hold.mayLastUntil + this.backend.operationTimeoutMs,
    };
  }

  #tellReleased(lease: Tenant, outcome: ReleaseOutcome): void {
    const { resource, heldMs } = lease;
    if (this.events.wants('lease.released')) {
      this.events.emit('lease.released', { resource, leaseId: lease.id, heldMs, outcome });
    }
    if (this.events.wants('competitor.destroyed'))
      this.events.emit('competitor.destroyed', { resource, end: 'released' });
  }

  #tellLost(lease: Tenant): void {
    const { resource, heldMs } = lease;
    const reason = lease.lossReason!;
    if (this.events.wants('lease.lost')) {
      this.events.emit('lease.lost', { resource, leaseId: lease.id, heldMs, reason });
    }
    if (this.events.wants('competitor.destroyed'))
      this.events.emit('competitor.destroyed', { resource, end: 'lost' });
  }
}

function* holdsOf(seats: ReadonlyMap<string, Seat>): Generator<Hold> {
  for (const { hold } of seats.values()) if (hold !== undefined) yield hold;
}
