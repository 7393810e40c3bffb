import type { Claim, PushedGrant, Verdict } from '../../core/claim.js';
import { outsideOfCallers } from '../../core/context.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import type { LockSettings } from '../../core/options/options.js';
import type { Backend, Unsubscribe } from '../../core/ports/ports.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import { claimSizeFor, Attempt } from './attempt.js';
import { Hold, type HoldDeps, type Quantum } from '../holding/hold.js';
import type { ResourceState } from './resource-state.js';
import { asLockError, isUnavailable, mayHaveActed } from '../../core/unavailable.js';
import type { WakeHub } from '../waiting/wake-hub.js';
import type { Withdrawals } from '../../runtime/withdrawals.js';

/** Where the server pushes wakes, the sweep asks again; this only bounds the sleep. */
const LONGEST_SLEEP_MS = 60_000;
/** Callers who are asked for beside the head, at most: with it, what fits into a call or two. */
const MAX_OTHER_CLAIMS = 31;

export interface WaitingLoopDeps {
  readonly clock: SuspendAwareClock;
  readonly backend: Backend;
  readonly hub: WakeHub;
  readonly withdrawals: Withdrawals;
  readonly events: EventHub;
  readonly quantum: Quantum;
  /** Gives the head its lease on a granted claim. */
  readonly onGranted: (state: ResourceState, hold: Hold, tries: number) => void;
}

/**
 * The only waiting loop. It runs while somebody waits for a resource that this process does not hold; the head of the
 * queue asks, everybody else waits for free. What is granted goes to whoever is the head by then.
 */
export class WaitingLoop {
  readonly #deps: HoldDeps;
  #claims = 0;

  constructor(private readonly deps: WaitingLoopDeps) {
    const { clock, backend, quantum } = deps;
    this.#deps = { clock, processId: backend.processId, quantum };
  }

  /** Starts the loop unless it runs, and asks in this very tick: for several callers where the last request found room. */
  start(state: ResourceState, hasRoom = false): void {
    if (state.isLoopRunning || state.waiterCount === 0 || state.registry.isClosed) return;
    if (state.isFull) return state.queue.rejectWhere(({ triesOnce }) => triesOnce, 'busy');
    state.isLoopRunning = true;
    // The loop outlives the caller that started it.
    void outsideOfCallers(() => this.#run(state, hasRoom));
  }

  /** Something that was held here is free: asks again, now. */
  resume(state: ResourceState): void {
    if (state.isLoopRunning) state.wake();
    else this.start(state);
  }

  /** A first attempt with these settings, for a caller with so many behind. */
  firstAttempt(settings: LockSettings, behind = 0): Attempt {
    const attempt = this.#newAttempt(settings);
    const { leaseMs, tokens } = claimSizeFor(
      settings,
      behind,
      this.deps.quantum,
      this.deps.backend.traits.maxLeaseMs,
    );
    attempt.leaseMs = leaseMs;
    attempt.tokens = tokens;
    return attempt;
  }

  async #run(state: ResourceState, hasRoom: boolean): Promise<void> {
    let attempt: Attempt | undefined;
    let unwatch: Unsubscribe | undefined;
    for (let head = state.head; head !== undefined && !state.isFull; head = state.head) {
      attempt = this.#attemptFor(state, attempt, head.settings);
      state.isWoken = false;
      unwatch ??= this.#join(state, head.settings);
      const pushed = state.takePushedGrant();
      const pendingVerdict = pushed === undefined ? this.#claimForHead(state, attempt) : undefined;
      const otherClaims = pendingVerdict !== undefined && hasRoom ? this.#claimForOthers(state) : undefined;
      hasRoom = false;
      const verdict = pendingVerdict === undefined ? undefined : await pendingVerdict;
      const granted = pushed ?? attempt.grantIn(verdict);
      const hold = granted && this.#adoptGrant(state, attempt, granted);
      if (hold !== undefined) {
        unwatch?.();
        state.currentAttempt = undefined;
        this.deps.onGranted(state, hold, attempt.tries);
        if (otherClaims !== undefined) await otherClaims;
        state.isLoopRunning = false;
        // Where several fit beside each other, the next asks now.
        this.start(state, verdict !== undefined && attempt.tries === 1);
        return state.dropIfIdle();
      }
      if (granted !== undefined) attempt = this.#newAttempt(attempt.settings, attempt);
      if (otherClaims !== undefined) await otherClaims;
      if (attempt.isVoid) {
        this.giveUp(state, attempt);
        attempt = this.#newAttempt(attempt.settings, attempt);
      }
      this.#rejectNonWaiting(state, attempt, verdict);
      if (state.waiterCount > 0 && !state.isWoken)
        unwatch = await this.#rest(state, attempt, verdict, unwatch);
    }
    unwatch?.();
    state.isLoopRunning = state.wasRefused = false;
    state.currentAttempt = undefined;
    state.takePushedGrant();
    this.giveUp(state, attempt);
    this.start(state);
    state.dropIfIdle();
  }

  /** A live subscription is joined before asking, so that no wake falls between the answer and the sleep. */
  #join(state: ResourceState, { spin }: LockSettings): Unsubscribe | undefined {
    return spin === undefined ? this.deps.hub.join(state.resource, (wake) => state.wake(wake)) : undefined;
  }

  /** Subscribes after a refusal, or sleeps until a wake, a push or the next question. @returns the subscription */
  async #rest(
    state: ResourceState,
    attempt: Attempt,
    verdict: Verdict | undefined,
    unwatch: Unsubscribe | undefined,
  ): Promise<Unsubscribe | undefined> {
    const { spin, shape } = attempt.settings;
    const listens = spin === undefined;
    if (verdict?.kind === 'refused' && this.deps.backend.traits.push && listens && unwatch === undefined) {
      unwatch = await this.deps.hub.watch(state.resource, shape, (wake) => state.wake(wake));
      // Whatever was released before the subscription stood has woken nobody: ask once more.
      if (unwatch !== undefined) return unwatch;
    }
    await state.sleep(this.#pauseMs(state, attempt, verdict, listens && unwatch !== undefined));
    return unwatch;
  }

  /** One request; undefined when there was no answer. */
  async #claimForHead(state: ResourceState, attempt: Attempt): Promise<Verdict | undefined> {
    const claim = this.nextClaim(state, attempt, state.head?.triesOnce !== true);
    try {
      const verdict = await this.deps.backend.leases.claim(claim);
      this.#onAnswer(state, attempt, verdict, claim.queue);
      return verdict;
    } catch (error) {
      this.#onFailure(state, attempt, claim, error);
      return undefined;
    }
  }

  /**
   * Asks once for those behind the head too, so that a burst costs few trips. They do not join the queue of the server: a
   * refusal means nothing, and of what is wrong the head hears as well.
   */
  #claimForOthers(state: ResourceState): Promise<unknown> | undefined {
    const others = state.compatibleWaiters(MAX_OTHER_CLAIMS);
    if (others.length === 0) return undefined;
    const behind = state.waiterCount - 1 - others.length;
    return Promise.all(others.map((settings) => this.#claimOnce(state, this.firstAttempt(settings, behind))));
  }

  async #claimOnce(state: ResourceState, attempt: Attempt): Promise<void> {
    const claim = this.nextClaim(state, attempt, false);
    let verdict: Verdict;
    try {
      verdict = await this.deps.backend.leases.claim(claim);
    } catch (error) {
      if (mayHaveActed(error)) attempt.inDoubtUntil = claim.notAfter;
      return this.giveUp(state, attempt);
    }
    if (verdict.kind !== 'granted') return;
    const hold = this.#adoptGrant(state, attempt, attempt.toGrant(verdict.token));
    if (hold !== undefined) this.deps.onGranted(state, hold, attempt.tries);
  }

  /** The attempt for the head: the running one while its settings fit; one in doubt with other settings is withdrawn. */
  #attemptFor(state: ResourceState, attempt: Attempt | undefined, settings: LockSettings): Attempt {
    const behind = state.waiterCount - 1;
    const { leaseMs, tokens } = claimSizeFor(
      settings,
      behind,
      this.deps.quantum,
      this.deps.backend.traits.maxLeaseMs,
    );
    if (attempt !== undefined && !attempt.canContinueWith(settings, leaseMs)) {
      this.giveUp(state, attempt);
      attempt = undefined;
    }
    attempt ??= this.#newAttempt(settings);
    attempt.settings = settings;
    state.currentAttempt = attempt;
    attempt.leaseMs = leaseMs;
    attempt.tokens = tokens;
    return attempt;
  }

  /** The claim as it is sent now. @param queue join the queue of the server when it is refused */
  nextClaim(state: ResourceState, attempt: Attempt, queue: boolean): Claim {
    const { resource } = state;
    attempt.tries += 1;
    attempt.sentAt = this.deps.clock.now();
    attempt.lastArrival = state.registry.lastArrival;
    if (this.deps.events.hasListeners('claim.sent'))
      this.deps.events.emit('claim.sent', { resource, id: attempt.id, tries: attempt.tries });
    const notAfter = attempt.sentAt + this.deps.backend.operationTimeoutMs;
    return attempt.toClaim(resource, queue, notAfter);
  }

  #newAttempt(settings: LockSettings, before?: Attempt): Attempt {
    return new Attempt(this.deps.backend.processId, ++this.#claims, settings, before);
  }

  #onAnswer(state: ResourceState, attempt: Attempt, verdict: Verdict, isQueued: boolean): void {
    attempt.onAnswer();
    if (verdict.kind === 'refused') {
      attempt.isQueued ||= isQueued;
      attempt.uselessAnswers = 0;
    } else if (verdict.kind === 'stale') {
      const detail = 'it takes requests for stale: its clock steps, or requests take too long';
      this.#countUseless(state, attempt, detail);
    }
  }

  /** The request has failed; `state.lastError` says why where it may yet be answered. */
  #onFailure(state: ResourceState, attempt: Attempt, { notAfter }: Claim, error: unknown): void {
    const { resource } = state;
    const { backend, events } = this.deps;
    const lockError = asLockError(error, backend.name, resource);
    if (!isUnavailable(lockError)) {
      // It may have been granted all the same, beside what failed.
      attempt.inDoubtUntil = notAfter;
      // Nothing that waiting could mend, and the same for everybody: the resource is of another type.
      return state.queue.rejectAll('unavailable', lockError);
    }
    attempt.isVoid = lockError.executed === 'yes';
    if (mayHaveActed(lockError)) attempt.inDoubtUntil = notAfter;
    state.lastError = lockError;
    if (events.hasListeners('backend.unavailable')) {
      events.emit('backend.unavailable', { resource, error: lockError, retryInMs: attempt.retryMs });
    }
  }

  holdOf(state: ResourceState, { number, settings, inDoubtUntil }: Attempt, granted: PushedGrant): Hold {
    const { leaseMs, since: sentAt, token, tokens } = granted;
    return new Hold(state, { number, settings, leaseMs, sentAt, token, tokens, inDoubtUntil }, this.#deps);
  }

  /** Makes a hold of a grant, if somebody is still there whom it fits; else gives it back. */
  #adoptGrant(state: ResourceState, attempt: Attempt, granted: PushedGrant): Hold | undefined {
    const { settings, inDoubtUntil } = attempt;
    const { leaseMs, since: sentAt } = granted;
    const head = state.head;
    const hold = this.holdOf(state, attempt, granted);
    const isSameKind =
      head?.settings.holdAtLeastMs === settings.holdAtLeastMs &&
      head.settings.shape === settings.shape &&
      (head.settings.renew || leaseMs >= head.settings.leaseMs);
    if (isSameKind && hold.isUsableFor(head.settings, leaseMs, this.deps.clock.now())) {
      state.lastError = undefined;
      state.wasRefused = false;
      return hold;
    }
    if (isSameKind) this.#countUseless(state, attempt, 'a trip takes most of the lease: raise leaseMs');
    attempt.inDoubtUntil = Math.max(inDoubtUntil, sentAt);
    this.giveUp(state, attempt);
    return undefined;
  }

  /** One useless answer may be chance; from the second on the backend counts as unavailable. */
  #countUseless(state: ResourceState, attempt: Attempt, detail: string): void {
    attempt.uselessAnswers += 1;
    if (attempt.uselessAnswers < 2) return;
    state.lastError = new BackendUnavailableError(this.deps.backend.name, detail, 'no', {
      resource: state.resource,
    });
  }

  /** Rejects those who do not wait after a refusal or a failure, as far as they were there when it was asked. */
  #rejectNonWaiting(state: ResourceState, attempt: Attempt, verdict: Verdict | undefined): void {
    if (verdict?.kind === 'refused') state.recordRefusal(verdict.holder);
    else if (state.lastError === undefined) return;
    const isRefused = verdict?.kind === 'refused';
    state.queue.rejectWhere(
      ({ triesOnce, settings, arrival }) =>
        arrival <= attempt.lastArrival && (triesOnce || (!isRefused && settings.failFast)),
      isRefused ? 'busy' : 'unavailable',
    );
  }

  #pauseMs(
    state: ResourceState,
    attempt: Attempt,
    verdict: Verdict | undefined,
    isWatching: boolean,
  ): number {
    const pollMs = state.head?.settings.pollMs ?? Infinity;
    if (verdict?.kind !== 'refused' && state.lastError !== undefined) {
      const pause = attempt.retryMs;
      attempt.lengthenRetry();
      return pause;
    }
    if (verdict?.kind === 'refused' && isWatching)
      return Math.max(1, Math.min(verdict.retryInMs, pollMs, LONGEST_SLEEP_MS));
    // An answer that could not be used brought what is needed for a better request.
    if (verdict?.kind !== 'refused') return 1;
    return Math.max(1, Math.min(verdict.retryInMs, pollMs, attempt.takePollMs(this.deps.clock.random())));
  }

  /** Withdraws what may be granted, and the entry in the queue. */
  giveUp(state: ResourceState, attempt: Attempt | undefined): void {
    if (attempt === undefined || (attempt.inDoubtUntil === 0 && !attempt.isQueued)) return;
    this.deps.withdrawals.cancel(attempt.withdrawal(state, this.deps.backend.operationTimeoutMs));
  }
}
