import { modeOf, type Claim, type PushedGrant, type Verdict } from '../../core/claim.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import type { LockSettings } from '../../core/options/options.js';
import type { Backend } from '../../core/ports/ports.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import { asLockError, isUnavailable, mayHaveActed } from '../../core/unavailable.js';
import type { Withdrawals } from '../../runtime/withdrawals.js';
import { Hold, type HoldDeps, type Quantum } from '../holding/hold.js';
import { Attempt, claimSizeFor } from './attempt.js';
import type { ResourceState } from './resource-state.js';

export interface ClaimsDeps {
  readonly clock: SuspendAwareClock;
  readonly backend: Backend;
  readonly withdrawals: Withdrawals;
  readonly events: EventHub;
  readonly quantum: Quantum;
}

/**
 * The claims of an engine: the attempt behind each, the meaning of an answer, and the way back for
 * an unwanted claim.
 */
export class Claims {
  readonly #holdDeps: HoldDeps;
  #lastNumber = 0;

  constructor(private readonly deps: ClaimsDeps) {
    const { clock, backend, quantum } = deps;
    this.#holdDeps = { clock, processId: backend.processId, quantum };
  }

  /** A first attempt with these settings, for a caller with so many waiters behind it. */
  firstAttempt(settings: LockSettings, behind = 0): Attempt {
    const attempt = this.newAttempt(settings);
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

  /**
   * The attempt for the head: the running one while its settings fit. One in doubt with other
   * settings is withdrawn.
   */
  attemptFor(state: ResourceState, attempt: Attempt | undefined, settings: LockSettings): Attempt {
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
    attempt ??= this.newAttempt(settings);
    attempt.settings = settings;
    state.currentAttempt = attempt;
    attempt.leaseMs = leaseMs;
    attempt.tokens = tokens;
    return attempt;
  }

  /** The claim as it is sent now. @param queue join the queue of the server after a refusal */
  nextClaim(state: ResourceState, attempt: Attempt, queue: boolean): Claim {
    const { resource } = state;
    attempt.tries += 1;
    attempt.sentAt = this.deps.clock.now();
    attempt.lastArrival = state.registry.lastArrival;
    if (this.deps.events.hasListeners('claim.sent'))
      this.deps.events.emit('claim.sent', {
        resource,
        mode: modeOf(attempt.settings.shape),
        id: attempt.id,
        tries: attempt.tries,
      });
    const notAfter = attempt.sentAt + this.deps.backend.operationTimeoutMs;
    return attempt.toClaim(resource, queue, notAfter);
  }

  newAttempt(settings: LockSettings, before?: Attempt): Attempt {
    return new Attempt(this.deps.backend.processId, ++this.#lastNumber, settings, before);
  }

  onAnswer(state: ResourceState, attempt: Attempt, verdict: Verdict, joinsQueue: boolean): void {
    attempt.onAnswer();
    if (verdict.kind === 'refused') {
      attempt.isQueued ||= joinsQueue;
      attempt.uselessAnswers = 0;
    } else if (verdict.kind === 'stale') {
      const detail = 'it rejects requests as stale: its clock jumps, or requests take too long';
      this.#countUseless(state, attempt, detail);
    }
  }

  /** The request has failed; `state.lastError` says why if a later one may succeed. */
  onFailure(state: ResourceState, attempt: Attempt, { notAfter }: Claim, error: unknown): void {
    const { resource } = state;
    const { backend, events } = this.deps;
    const lockError = asLockError(error, backend.name, resource);
    if (!isUnavailable(lockError)) {
      // It may have been granted all the same, despite the error.
      attempt.inDoubtUntil = notAfter;
      // Waiting cannot help, and every waiter would fail alike: the resource is of another type.
      return state.queue.rejectAll('unavailable', lockError);
    }
    attempt.isVoid = lockError.executed === 'yes';
    if (mayHaveActed(lockError)) attempt.inDoubtUntil = notAfter;
    state.lastError = lockError;
    if (events.hasListeners('backend.unavailable')) {
      const mode = modeOf(attempt.settings.shape);
      events.emit('backend.unavailable', { resource, mode, error: lockError, retryInMs: attempt.retryMs });
    }
  }

  createHold(state: ResourceState, { number, settings, inDoubtUntil }: Attempt, granted: PushedGrant): Hold {
    const { leaseMs, since: sentAt, token, tokens } = granted;
    return new Hold(
      state,
      { number, settings, leaseMs, sentAt, token, tokens, inDoubtUntil },
      this.#holdDeps,
    );
  }

  /** Makes a hold of a grant, if it fits the head of the queue with enough time left; else gives it back. */
  adoptGrant(state: ResourceState, attempt: Attempt, granted: PushedGrant): Hold | undefined {
    const { settings, inDoubtUntil } = attempt;
    const { leaseMs, since: sentAt } = granted;
    const head = state.head;
    const hold = this.createHold(state, attempt, granted);
    const isSameKind =
      head?.settings.holdAtLeastMs === settings.holdAtLeastMs &&
      head.settings.shape === settings.shape &&
      (head.settings.renew || leaseMs >= head.settings.leaseMs);
    if (isSameKind && hold.isUsableFor(head.settings, leaseMs, this.deps.clock.now())) {
      state.lastError = undefined;
      state.wasRefused = false;
      return hold;
    }
    if (isSameKind) this.#countUseless(state, attempt, 'a round trip takes most of the lease: raise leaseMs');
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

  /** Withdraws a grant that may exist, and the entry in the queue. */
  giveUp(state: ResourceState, attempt: Attempt | undefined): void {
    if (attempt === undefined || (attempt.inDoubtUntil === 0 && !attempt.isQueued)) return;
    this.deps.withdrawals.cancel(attempt.withdrawal(state, this.deps.backend.operationTimeoutMs));
  }
}
