import { atMost } from '../../core/clock.js';
import { LockBusyError, LockClosedError, LockRevokedError, type LossReason } from '../../core/errors.js';
import type { EventHub, ReleaseOutcome } from '../../core/events.js';
import { onePerProcess } from '../../runtime/one-per-process.js';
import { checkLease, type LockSettings } from '../../core/options/options.js';
import type { Backend, LeaseDriver } from '../../core/ports/ports.js';
import { RequestObserver } from '../../core/ports/request-observer.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import { ClaimLoops } from './claim-loops.js';
import { Claims } from './claims.js';
import type { Hold, Quantum } from '../holding/hold.js';
import type { EngineStats } from './engine-stats.js';
import { JointClaims, type LockRequest } from './joint-claims.js';
import { LeaseGranter } from './lease-granter.js';
import { LeaseKeeper } from '../holding/lease-keeper.js';
import type { Lease } from '../holding/lease.js';
import { LeaseEventPublisher } from '../holding/lease-event-publisher.js';
import { stateOf } from './resource-state.js';
import { isBusy, ResourceStates } from './resource-states.js';
import { renewalUnanswered } from '../../core/unavailable.js';
import type { WaiterRegistry } from '../waiting/waiter-registry.js';
import { WakeHub } from '../waiting/wake-hub.js';
import { Withdrawals, type Withdrawal } from '../../runtime/withdrawals.js';
import type { WriteLease, WriteLeaseOwner } from '../holding/write-lease.js';

const RELEASED: Promise<ReleaseOutcome> = Promise.resolve('released');
const LOST: Promise<ReleaseOutcome> = Promise.resolve('lost');

/**
 * Acquire, hand over and release for one backend: one state per resource (or per caller, where they
 * are served in order of arrival over all processes), one keeper, one hub.
 */
export class LockEngine implements WriteLeaseOwner {
  /** Its number in this process, from 1: in the order in which they were made. */
  readonly number: number;
  readonly requests: RequestObserver;
  readonly #states: ResourceStates;
  readonly #publisher: LeaseEventPublisher;
  readonly #keeper: LeaseKeeper;
  readonly #hub: WakeHub;
  readonly #withdrawals: Withdrawals;
  readonly #granter: LeaseGranter;
  readonly #loops: ClaimLoops;
  readonly #jointClaims: JointClaims;
  readonly #subscriptions: readonly (() => void)[];
  #onAllReleased: (() => void) | undefined;

  constructor(
    readonly backend: Backend,
    readonly clock: SuspendAwareClock,
    readonly registry: WaiterRegistry,
    readonly events: EventHub,
    quantum: Quantum,
  ) {
    const { leases, operationTimeoutMs, nodes } = backend;
    this.number = ++counter.engines;
    const requests = new RequestObserver(clock, events);
    this.requests = requests;
    this.#publisher = new LeaseEventPublisher(events);
    this.#states = new ResourceStates(registry, (state) => this.#loops.resume(state));
    this.#keeper = new LeaseKeeper({
      clock,
      allHolds: () => this.#states.holds(),
      driver: leases,
      events,
      requests,
      onLost: (hold, reason) => this.#lose(hold, reason),
    });
    this.#hub = new WakeHub(clock, leases);
    const driver: Pick<LeaseDriver, 'withdraw'> = {
      withdraw: (ref, options) => requests.observe('release', ref, leases.withdraw(ref, options)),
    };
    this.#withdrawals = new Withdrawals(clock, driver, operationTimeoutMs);
    const claims = new Claims({ clock, backend, withdrawals: this.#withdrawals, events, quantum });
    const granter = new LeaseGranter(clock, this.#keeper, this.#publisher, this);
    this.#granter = granter;
    this.#loops = new ClaimLoops({ clock, backend, requests, hub: this.#hub, claims, granter });
    this.#jointClaims = new JointClaims({
      backend,
      states: this.#states,
      claims,
      loops: this.#loops,
      granter,
      requests,
    });
    this.#subscriptions = [
      backend.onSuspect((name) => this.#keeper.verify(name)),
      this.#states.wakeOnNodeChanges(nodes),
    ];
  }

  get stats(): EngineStats {
    return {
      resources: this.#states.size,
      waiters: this.registry.waiterCount,
      holds: this.#keeper.size,
      pendingWithdrawals: this.#withdrawals.pending,
      watches: this.#hub.size,
      grants: this.#granter.grants,
      handOvers: this.#granter.handOvers,
    };
  }

  /** True when a caller of this process holds the resource. */
  isHeldHere(resource: string): boolean {
    return this.#states.isHeld(resource);
  }

  /** Waits for the lock as its settings say. The errors are those of `Mutex.acquire()`. */
  acquire(resource: string, settings: LockSettings, signal: AbortSignal | undefined): Promise<Lease> {
    const triesOnce = settings.waitMs === 0;
    const state =
      settings.shape.order === 'fifo' ? this.#states.forCaller(resource) : this.#states.shared(resource);
    if (triesOnce && signal?.aborted !== true && isBusy(state, settings)) {
      const isClosed = this.registry.isClosed;
      const error = isClosed ? new LockClosedError(resource) : new LockBusyError(resource, state.holder);
      state.publishRefusal(settings, isClosed ? 'closed' : 'busy');
      state.dropIfIdle();
      return Promise.reject(error);
    }
    const isImpatient = triesOnce || settings.failFast;
    if (isImpatient && state.isLoopRunning && state.lastError !== undefined && signal?.aborted !== true) {
      state.publishRefusal(settings, 'unavailable');
      return Promise.reject(state.lastError);
    }
    const turn = state.queue.enqueue({ settings, signal, triesOnce });
    // A caller that does not wait is not kept until the head asks again.
    if (triesOnce) this.#loops.resume(state);
    else {
      this.#granter.grantReaders(state);
      this.#loops.start(state);
    }
    state.dropIfIdle();
    return turn;
  }

  /**
   * Waits for the first of several locks, and gives its lease; where one request could get all of
   * them, theirs too, in the order of the requests. Each request has its own settings; those of the
   * first say how long to wait.
   */
  acquireTogether(
    requests: readonly LockRequest[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Lease[]> {
    const [{ resource, settings }] = requests as [LockRequest];
    return (
      this.#jointClaims.acquire(requests, signal) ??
      this.acquire(resource, settings, signal).then((lease) => [lease])
    );
  }

  release(lease: Lease): Promise<ReleaseOutcome> {
    if (lease.isLost) return lease.end(LOST);
    const { hold } = lease;
    const now = this.clock.now();
    const state = stateOf(hold);
    if (now >= lease.endsAt) {
      this.#lose(hold, hold.lossReasonAt(now));
      return lease.end(LOST);
    }
    const next = state.head;
    if (next !== undefined && hold.canHandOverTo(next.settings, now)) {
      // Taken out of the queue before listeners run: one of them may abort or close.
      state.dequeue();
      void lease.end(RELEASED);
      this.#publisher.released(lease, 'released');
      this.#granter.handOver(state, hold, next);
      return RELEASED;
    }
    if (this.#leave(hold)) {
      void lease.end(RELEASED);
      this.#publisher.released(lease, 'released');
      return RELEASED;
    }
    const withdrawal = this.#withdrawal(hold, hold.keepMsAt(now));
    const outcome = lease.end(this.#withdraw(lease, withdrawal));
    this.#loops.resume(state);
    state.dropIfIdle();
    return outcome;
  }

  /** @throws InvalidOptionError, LockNotHeldError, LockLostError, LockRevokedError, BackendUnavailableError */
  async extend(lease: Lease, leaseMs = lease.settings.leaseMs): Promise<void> {
    checkLease(leaseMs, this.backend.traits);
    lease.assertHeld();
    const { hold, resource } = lease;
    const { outcome, sentAt } = await this.#keeper.renewNow(hold, leaseMs);
    if (lease.isLost || lease.ended !== undefined) return lease.assertHeld();
    if (outcome === 'revoked') throw new LockRevokedError(resource, lease.remainingMs);
    if (outcome === 'unknown') throw renewalUnanswered(this.backend.name, resource);
    lease.extendTo(sentAt, leaseMs);
    this.#keeper.keep(hold);
  }

  /** @throws LockNotHeldError, LockLostError, BackendUnavailableError */
  async downgrade(lease: WriteLease): Promise<void> {
    const { hold, resource } = lease;
    const state = stateOf(hold);
    state.remove(hold);
    lease.becomeReader();
    state.add(hold);
    const updated = this.#keeper.update(hold);
    // The readers of this process share the claim, or ask behind that, on the same way.
    this.#loops.resume(state);
    const outcome = await updated;
    if (lease.isLost || lease.ended !== undefined) return lease.assertHeld();
    if (outcome === 'unknown') throw renewalUnanswered(this.backend.name, resource);
  }

  /**
   * Stops granting, rejects the waiters, and waits for the holders up to `graceMs`. Then it
   * withdraws the remaining claims and leaves no timer. The owner closes the backend.
   */
  async close(graceMs: number): Promise<void> {
    const { operationTimeoutMs } = this.backend;
    this.registry.close();
    // A listener may close in the middle of a hand-over: let that finish first.
    await Promise.resolve();
    if (this.#keeper.size > 0 && graceMs > 0) {
      await atMost(this.clock, graceMs, new Promise<void>((done) => (this.#onAllReleased = done)));
    }
    for (const hold of this.#keeper.holds()) {
      // The listeners of one lost lease may have released another.
      if (hold.isKept) this.#lose(hold, 'closed');
    }
    for (const stop of this.#subscriptions) stop();
    // A claim in flight may still be granted, and the entry in the queue is still there: both are withdrawn first.
    if (this.#states.size > 0) await atMost(this.clock, operationTimeoutMs, this.#states.whenEmpty());
    await this.#withdrawals.drain(operationTimeoutMs);
    this.#hub.close();
    this.#keeper.stop();
  }

  #lose(hold: Hold, reason: LossReason): void {
    const lease = hold.lease!;
    const state = stateOf(hold);
    state.stopJoining();
    // What holdAtLeastMs promises lasts beyond the loss. A claim that other readers share is not withdrawn here.
    if (!this.#leave(hold)) this.#withdrawals.cancel(this.#withdrawal(hold, hold.keepMsAt(this.clock.now())));
    lease.lose(reason);
    this.#publisher.lost(lease);
    this.#loops.resume(state);
    state.dropIfIdle();
  }

  /** True when readers of this process go on under the same claim. */
  #leave(hold: Hold): boolean {
    stateOf(hold).remove(hold);
    this.#keeper.drop(hold);
    if (this.#keeper.size === 0) this.#onAllReleased?.();
    return hold.leaveClaim();
  }

  #withdraw(lease: Lease, withdrawal: Withdrawal): Promise<ReleaseOutcome> {
    return this.#withdrawals.release(withdrawal).then((outcome) => {
      if (outcome !== 'lost') this.#publisher.released(lease, outcome);
      else {
        lease.lossReason = 'taken';
        this.#publisher.lost(lease);
      }
      return outcome;
    });
  }

  #withdrawal(hold: Hold, keepMs: number): Withdrawal {
    return {
      ref: hold,
      keepMs,
      leavesQueue: () => stateOf(hold).waiterCount === 0,
      notBefore: hold.inDoubtUntil,
      overAt: () => hold.mayLastUntil + this.backend.operationTimeoutMs,
    };
  }
}

/** Engines made in this process so far. */
const counter = onePerProcess('engines', () => ({ engines: 0 }));
