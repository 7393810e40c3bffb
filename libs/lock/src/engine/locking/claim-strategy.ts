import type { Shape, Verdict } from '../../core/claim.js';
import type { Backend, Waker } from '../../core/ports/ports.js';
import { pauseBeforeSignMs } from '../../core/queue-timing.js';
import type { RequestObserver } from '../../core/ports/request-observer.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import { mayHaveActed } from '../../core/unavailable.js';
import { WakeableSleep } from '../../runtime/wakeable-sleep.js';
import { LONGEST_SLEEP_MS, type RequestOutcome, type WaitingStrategy } from '../waiting/waiting-loop.js';
import type { Attempt } from './attempt.js';
import type { Claims } from './claims.js';
import type { LeaseGranter } from './lease-granter.js';
import type { ResourceState } from './resource-state.js';

/** Most callers that send a claim beside the head: with the head, they fit into a call or two. */
const MAX_OTHER_CLAIMS = 31;

export interface ClaimStrategyDeps {
  readonly clock: SuspendAwareClock;
  readonly backend: Backend;
  readonly requests: RequestObserver;
  readonly claims: Claims;
  readonly granter: LeaseGranter;
  /** Starts the loop of a resource anew, once this one has ended. */
  readonly loops: { start(state: ResourceState): void };
}

/**
 * Asks for a lock: only the head of the queue sends claims, and a grant goes to the waiter that is the head by then. One
 * for each run of the waiting loop.
 */
export class ClaimStrategy implements WaitingStrategy<Shape> {
  readonly wake: Waker;
  readonly sleep: WakeableSleep;
  #attempt: Attempt | undefined;
  /** The latest answer; undefined when there was none. */
  #verdict: Verdict | undefined;
  /** The last request was granted at once: several holders may fit beside each other. */
  #hasRoom = false;

  constructor(
    private readonly state: ResourceState,
    private readonly deps: ClaimStrategyDeps,
  ) {
    this.wake = (wake) => state.wake(wake);
    this.sleep = state.sleep = new WakeableSleep(deps.clock);
  }

  get resource(): string {
    return this.state.resource;
  }

  get usage(): Shape {
    return this.state.head!.settings.shape;
  }

  get waiterCount(): number {
    return this.state.waiterCount;
  }

  get isWanted(): boolean {
    return this.state.head !== undefined && !this.state.isFull;
  }

  get listens(): boolean {
    return this.deps.backend.traits.push && this.state.head?.settings.spin === undefined;
  }

  /** The server serves callers by arrival, and passes over those without a recent sign. A session is a sign itself. */
  get #isJudgedBySigns(): boolean {
    return this.state.head?.settings.shape.order === 'fifo' && this.deps.backend.traits.lifetime === 'lease';
  }

  async ask(): Promise<RequestOutcome> {
    const { state } = this;
    const { backend, claims, granter, requests } = this.deps;
    const head = state.head!;
    const attempt = claims.attemptFor(state, this.#attempt, head.settings);
    const pushed = state.takePushedGrant();
    let verdict: Verdict | undefined;
    let otherClaims: Promise<unknown> | undefined;
    if (pushed === undefined) {
      const claim = claims.nextClaim(state, attempt, !head.triesOnce);
      try {
        const pendingVerdict = requests.observe('claim', claim, backend.leases.claim(claim));
        if (this.#hasRoom) otherClaims = this.#claimForOthers();
        verdict = await pendingVerdict;
        claims.onAnswer(state, attempt, verdict, claim.queue);
      } catch (error) {
        claims.onFailure(state, attempt, claim, error);
      }
    }
    this.#hasRoom = false;
    const granted = pushed ?? attempt.grantIn(verdict);
    const hold = granted && claims.adoptGrant(state, attempt, granted);
    if (hold !== undefined) {
      this.#attempt = state.currentAttempt = undefined;
      granter.grantHead(state, hold, attempt.tries);
      if (otherClaims !== undefined) await otherClaims;
      // Where several fit beside each other, the next ask together.
      this.#hasRoom = verdict !== undefined && attempt.tries === 1;
      return 'served';
    }
    this.#attempt = granted === undefined ? attempt : claims.newAttempt(attempt.settings, attempt);
    if (otherClaims !== undefined) await otherClaims;
    if (this.#attempt.isVoid) {
      claims.giveUp(state, this.#attempt);
      this.#attempt = claims.newAttempt(this.#attempt.settings, this.#attempt);
    }
    this.#verdict = verdict;
    this.#rejectNonWaiting(this.#attempt, verdict);
    return verdict?.kind === 'refused' ? 'refused' : 'failed';
  }

  pauseMs(isWatching: boolean): number {
    const attempt = this.#attempt!;
    const { state } = this;
    const verdict = this.#verdict;
    const pollMs = state.head?.settings.pollMs ?? Infinity;
    if (verdict?.kind === 'refused') {
      const ownMs = isWatching ? LONGEST_SLEEP_MS : attempt.takePollMs(this.deps.clock.random());
      const endMs = this.#isJudgedBySigns ? pauseBeforeSignMs(verdict.retryInMs) : verdict.retryInMs;
      return Math.max(1, Math.min(endMs, pollMs, ownMs));
    }
    if (state.lastError !== undefined) return attempt.takeRetryMs();
    // An answer that could not be used brought the facts for a better request.
    return 1;
  }

  end(): void {
    const { state } = this;
    const { claims, loops } = this.deps;
    state.isLoopRunning = state.wasRefused = false;
    state.sleep = state.currentAttempt = undefined;
    state.takePushedGrant();
    claims.giveUp(state, this.#attempt);
    loops.start(state);
    state.dropIfIdle();
  }

  /**
   * Asks once for the waiters behind the head too, so that a burst costs few round trips. They do not join the queue of the
   * server, so a refusal means nothing. A fault shows in the answer to the head as well.
   */
  #claimForOthers(): Promise<unknown> | undefined {
    const { state } = this;
    const others = state.compatibleWaiters(MAX_OTHER_CLAIMS);
    if (others.length === 0) return undefined;
    const behind = state.waiterCount - 1 - others.length;
    return Promise.all(
      others.map((settings) => this.#claimOnce(this.deps.claims.firstAttempt(settings, behind))),
    );
  }

  async #claimOnce(attempt: Attempt): Promise<void> {
    const { state } = this;
    const { backend, claims, granter, requests } = this.deps;
    const claim = claims.nextClaim(state, attempt, false);
    let verdict: Verdict;
    try {
      verdict = await requests.observe('claim', claim, backend.leases.claim(claim));
    } catch (error) {
      if (mayHaveActed(error)) attempt.inDoubtUntil = claim.notAfter;
      return claims.giveUp(state, attempt);
    }
    if (verdict.kind !== 'granted') return;
    const hold = claims.adoptGrant(state, attempt, attempt.toGrant(verdict.token));
    if (hold !== undefined) granter.grantHead(state, hold, attempt.tries);
  }

  /**
   * After a refusal or a failure, rejects callers that do not wait, if they came before the
   * request.
   */
  #rejectNonWaiting(attempt: Attempt, verdict: Verdict | undefined): void {
    const { state } = this;
    const isRefused = verdict?.kind === 'refused';
    if (isRefused) state.recordRefusal(verdict.holder);
    else if (state.lastError === undefined) return;
    state.queue.rejectWhere(
      ({ triesOnce, settings, arrival }) =>
        arrival <= attempt.lastArrival && (triesOnce || (!isRefused && settings.failFast)),
      isRefused ? 'busy' : 'unavailable',
    );
  }
}
