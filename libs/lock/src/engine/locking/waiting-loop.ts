import type { Verdict } from '../../core/claim.js';
import { outsideOfCallers } from '../../core/context.js';
import type { LockSettings } from '../../core/options/options.js';
import type { Unsubscribe } from '../../core/ports/ports.js';
import { mayHaveActed } from '../../core/unavailable.js';
import type { Hold } from '../holding/hold.js';
import type { WakeHub } from '../waiting/wake-hub.js';
import type { Attempt } from './attempt.js';
import { ClaimStrategy, type ClaimDeps } from './claim-strategy.js';
import type { ResourceState } from './resource-state.js';

/** Where the server pushes wakes, the sweep asks again; this only bounds the sleep. */
const LONGEST_SLEEP_MS = 60_000;
/** Callers who are asked for beside the head, at most: with it, what fits into a call or two. */
const MAX_OTHER_CLAIMS = 31;

export interface WaitingLoopDeps extends ClaimDeps {
  readonly hub: WakeHub;
  /** Gives the head its lease on a granted claim. */
  readonly onGranted: (state: ResourceState, hold: Hold, tries: number) => void;
}

/**
 * The only waiting loop. It runs while callers wait for a resource that this process does not hold. Only the head of
 * the queue sends claims. A grant goes to the waiter that is the head by then.
 */
export class WaitingLoop {
  readonly claims: ClaimStrategy;

  constructor(private readonly deps: WaitingLoopDeps) {
    this.claims = new ClaimStrategy(deps);
  }

  /** Starts the loop unless it runs, and asks in this very tick: for several callers where the last request found room. */
  start(state: ResourceState, hasRoom = false): void {
    if (state.isLoopRunning || state.waiterCount === 0 || state.registry.isClosed) return;
    if (state.isFull) return state.queue.rejectWhere(({ triesOnce }) => triesOnce, 'busy');
    state.isLoopRunning = true;
    // The loop goes on after the caller that started it.
    void outsideOfCallers(() => this.#run(state, hasRoom));
  }

  /** Something that was held here is free: asks again, now. */
  resume(state: ResourceState): void {
    if (state.isLoopRunning) state.wake();
    else this.start(state);
  }

  async #run(state: ResourceState, hasRoom: boolean): Promise<void> {
    let attempt: Attempt | undefined;
    let unwatch: Unsubscribe | undefined;
    for (let head = state.head; head !== undefined && !state.isFull; head = state.head) {
      attempt = this.claims.attemptFor(state, attempt, head.settings);
      state.isWoken = false;
      unwatch ??= this.#join(state, head.settings);
      const pushed = state.takePushedGrant();
      const pendingVerdict = pushed === undefined ? this.claims.claimForHead(state, attempt) : undefined;
      const otherClaims = pendingVerdict !== undefined && hasRoom ? this.#claimForOthers(state) : undefined;
      hasRoom = false;
      const verdict = pendingVerdict === undefined ? undefined : await pendingVerdict;
      const granted = pushed ?? attempt.grantIn(verdict);
      const hold = granted && this.claims.adoptGrant(state, attempt, granted);
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
      if (granted !== undefined) attempt = this.claims.newAttempt(attempt.settings, attempt);
      if (otherClaims !== undefined) await otherClaims;
      if (attempt.isVoid) {
        this.claims.giveUp(state, attempt);
        attempt = this.claims.newAttempt(attempt.settings, attempt);
      }
      this.#rejectNonWaiting(state, attempt, verdict);
      if (state.waiterCount > 0 && !state.isWoken)
        unwatch = await this.#rest(state, attempt, verdict, unwatch);
    }
    unwatch?.();
    state.isLoopRunning = state.wasRefused = false;
    state.currentAttempt = undefined;
    state.takePushedGrant();
    this.claims.giveUp(state, attempt);
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
      // A release before the subscription stood has woken no waiter: ask once more.
      if (unwatch !== undefined) return unwatch;
    }
    await state.sleep(this.#pauseMs(state, attempt, verdict, listens && unwatch !== undefined));
    return unwatch;
  }

  /**
   * Asks once for the waiters behind the head too, so that a burst costs few round trips. They do not join the queue of the server: a
   * refusal means nothing, and of what is wrong the head hears as well.
   */
  #claimForOthers(state: ResourceState): Promise<unknown> | undefined {
    const others = state.compatibleWaiters(MAX_OTHER_CLAIMS);
    if (others.length === 0) return undefined;
    const behind = state.waiterCount - 1 - others.length;
    return Promise.all(
      others.map((settings) => this.#claimOnce(state, this.claims.firstAttempt(settings, behind))),
    );
  }

  async #claimOnce(state: ResourceState, attempt: Attempt): Promise<void> {
    const claim = this.claims.nextClaim(state, attempt, false);
    let verdict: Verdict;
    try {
      verdict = await this.deps.backend.leases.claim(claim);
    } catch (error) {
      if (mayHaveActed(error)) attempt.inDoubtUntil = claim.notAfter;
      return this.claims.giveUp(state, attempt);
    }
    if (verdict.kind !== 'granted') return;
    const hold = this.claims.adoptGrant(state, attempt, attempt.toGrant(verdict.token));
    if (hold !== undefined) this.deps.onGranted(state, hold, attempt.tries);
  }

  /** After a refusal or a failure, rejects callers that do not wait, if they came before it was asked. */
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
}
