import type { Claim, PushedGrant, Verdict } from '../../core/claim.js';
import { outsideOfCallers } from '../../core/context.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import type { Terms } from '../../core/options/options.js';
import type { Backend, Unsubscribe } from '../../core/ports/ports.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import { askFor, Attempt } from './attempt.js';
import { Hold, type HoldGround, type Quantum } from '../holding/hold.js';
import type { Seat } from './seat.js';
import { asLockError, isUnavailable, mayHaveActed } from '../../core/unavailable.js';
import type { WakeHub } from '../waiting/wake-hub.js';
import type { Withdrawals } from '../../runtime/withdrawals.js';

/** With push, the sweep re-asks; this only bounds the sleep. */
const LONGEST_SLEEP_MS = 60_000;
/** Callers who are asked for beside the head, at most: with it, what fits into a call or two. */
const MOST_BESIDE = 31;

export interface WaitingLoopDeps {
  readonly clock: SuspendAwareClock;
  readonly backend: Backend;
  readonly hub: WakeHub;
  readonly withdrawals: Withdrawals;
  readonly events: EventHub;
  readonly quantum: Quantum;
  /** Gives the head its lease on a granted claim. */
  readonly onGranted: (seat: Seat, hold: Hold, tries: number) => void;
}

/**
 * The only waiting loop. It runs while somebody waits for a resource that this process does not hold; the head of the
 * queue asks, everybody else waits for free. What is granted goes to whoever is the head by then.
 */
export class Contention {
  readonly #ground: HoldGround;
  #claims = 0;

  constructor(private readonly deps: WaitingLoopDeps) {
    const { clock, backend, quantum } = deps;
    this.#ground = { clock, processId: backend.processId, quantum };
  }

  /** Starts the loop unless it runs, and asks in this very tick: for several callers where the last question found room. */
  start(seat: Seat, isRoomy = false): void {
    if (seat.isContending || seat.waiting === 0 || seat.room.isClosed) return;
    if (seat.isFull) return seat.queue.leaveWhere(({ once }) => once, 'busy');
    seat.isContending = true;
    // The loop outlives the caller that started it.
    void outsideOfCallers(() => this.#run(seat, isRoomy));
  }

  /** Something that was held here is free: asks again, now. */
  resume(seat: Seat): void {
    if (seat.isContending) seat.wake();
    else this.start(seat);
  }

  /** A first attempt under these terms, for a caller with so many behind. */
  firstAttempt(terms: Terms, behind = 0): Attempt {
    const attempt = this.#newAttempt(terms);
    const { leaseMs, tokens } = askFor(terms, behind, this.deps.quantum, this.deps.backend.traits.maxLeaseMs);
    attempt.leaseMs = leaseMs;
    attempt.tokens = tokens;
    return attempt;
  }

  async #run(seat: Seat, isRoomy: boolean): Promise<void> {
    let attempt: Attempt | undefined;
    let unwatch: Unsubscribe | undefined;
    for (let head = seat.head; head !== undefined && !seat.isFull; head = seat.head) {
      attempt = this.#prepare(seat, attempt, head.terms);
      seat.woken = false;
      unwatch ??= this.#join(seat, head.terms);
      const pushed = seat.takePushed();
      const asking = pushed === undefined ? this.#ask(seat, attempt) : undefined;
      const beside = asking !== undefined && isRoomy ? this.#askBeside(seat) : undefined;
      isRoomy = false;
      const verdict = asking === undefined ? undefined : await asking;
      const granted = pushed ?? attempt.grantIn(verdict);
      const hold = granted && this.#seize(seat, attempt, granted);
      if (hold !== undefined) {
        unwatch?.();
        seat.asking = undefined;
        this.deps.onGranted(seat, hold, attempt.tries);
        if (beside !== undefined) await beside;
        seat.isContending = false;
        // Where several fit beside each other, the next asks now.
        this.start(seat, verdict !== undefined && attempt.tries === 1);
        return seat.dropIfIdle();
      }
      if (granted !== undefined) attempt = this.#newAttempt(attempt.terms, attempt);
      if (beside !== undefined) await beside;
      if (attempt.isSpent) {
        this.giveUp(seat, attempt);
        attempt = this.#newAttempt(attempt.terms, attempt);
      }
      this.#dismiss(seat, attempt, verdict);
      if (seat.waiting > 0 && !seat.woken) unwatch = await this.#rest(seat, attempt, verdict, unwatch);
    }
    unwatch?.();
    seat.isContending = seat.isPutOff = false;
    seat.asking = undefined;
    seat.takePushed();
    this.giveUp(seat, attempt);
    this.start(seat);
    seat.dropIfIdle();
  }

  /** A live subscription is joined before asking, so that no wake falls between the answer and the sleep. */
  #join(seat: Seat, { spin }: Terms): Unsubscribe | undefined {
    return spin === undefined ? this.deps.hub.join(seat.resource, (wake) => seat.wake(wake)) : undefined;
  }

  /** Subscribes after a refusal, or sleeps until a wake, a push or the next question. @returns the subscription */
  async #rest(
    seat: Seat,
    attempt: Attempt,
    verdict: Verdict | undefined,
    unwatch: Unsubscribe | undefined,
  ): Promise<Unsubscribe | undefined> {
    const { spin, shape } = attempt.terms;
    const listens = spin === undefined;
    if (verdict?.kind === 'refused' && this.deps.backend.traits.push && listens && unwatch === undefined) {
      unwatch = await this.deps.hub.watch(seat.resource, shape, (wake) => seat.wake(wake));
      // Whatever was released before the subscription stood has woken nobody: ask once more.
      if (unwatch !== undefined) return unwatch;
    }
    await seat.sleep(this.#pause(seat, attempt, verdict, listens && unwatch !== undefined));
    return unwatch;
  }

  /** One question; undefined when there was no answer. */
  async #ask(seat: Seat, attempt: Attempt): Promise<Verdict | undefined> {
    const claim = this.question(seat, attempt, seat.head?.once !== true);
    try {
      const verdict = await this.deps.backend.leases.claim(claim);
      this.#answered(seat, attempt, verdict, claim.queue);
      return verdict;
    } catch (error) {
      this.#unanswered(seat, attempt, claim, error);
      return undefined;
    }
  }

  /**
   * Asks once for those behind the head too, so that a burst costs few trips. They do not stand in line: a refusal means
   * nothing, and of what is wrong the head hears as well.
   */
  #askBeside(seat: Seat): Promise<unknown> | undefined {
    const others = seat.besideHead(MOST_BESIDE);
    if (others.length === 0) return undefined;
    const behind = seat.waiting - 1 - others.length;
    return Promise.all(others.map((terms) => this.#askOnce(seat, this.firstAttempt(terms, behind))));
  }

  async #askOnce(seat: Seat, attempt: Attempt): Promise<void> {
    const claim = this.question(seat, attempt, false);
    let verdict: Verdict;
    try {
      verdict = await this.deps.backend.leases.claim(claim);
    } catch (error) {
      if (mayHaveActed(error)) attempt.doubtUntil = claim.notAfter;
      return this.giveUp(seat, attempt);
    }
    if (verdict.kind !== 'granted') return;
    const hold = this.#seize(seat, attempt, attempt.granted(verdict.token));
    if (hold !== undefined) this.deps.onGranted(seat, hold, attempt.tries);
  }

  /** The attempt for the head: the running one while its terms fit; one in doubt under other terms is withdrawn. */
  #prepare(seat: Seat, attempt: Attempt | undefined, terms: Terms): Attempt {
    const behind = seat.waiting - 1;
    const { leaseMs, tokens } = askFor(terms, behind, this.deps.quantum, this.deps.backend.traits.maxLeaseMs);
    if (attempt !== undefined && !attempt.mayBecome(terms, leaseMs)) {
      this.giveUp(seat, attempt);
      attempt = undefined;
    }
    attempt ??= this.#newAttempt(terms);
    attempt.terms = terms;
    seat.asking = attempt;
    attempt.leaseMs = leaseMs;
    attempt.tokens = tokens;
    return attempt;
  }

  /** The question for the backend, as it is sent now. @param queue stand in line when it is refused */
  question(seat: Seat, attempt: Attempt, queue: boolean): Claim {
    const { resource } = seat;
    attempt.tries += 1;
    attempt.sent = this.deps.clock.now();
    attempt.arrivals = seat.room.arrivals;
    if (this.deps.events.wants('claim.asked'))
      this.deps.events.emit('claim.asked', { resource, id: attempt.id, tries: attempt.tries });
    const notAfter = attempt.sent + this.deps.backend.operationTimeoutMs;
    return attempt.claim(resource, queue, notAfter);
  }

  #newAttempt(terms: Terms, before?: Attempt): Attempt {
    return new Attempt(this.deps.backend.processId, ++this.#claims, terms, before);
  }

  #answered(seat: Seat, attempt: Attempt, verdict: Verdict, isQueued: boolean): void {
    attempt.wasAnswered();
    if (verdict.kind === 'refused') {
      attempt.isEnlisted ||= isQueued;
      attempt.useless = 0;
    } else if (verdict.kind === 'stale') {
      const detail = 'it takes requests for stale: its clock steps, or requests take too long';
      this.#countUseless(seat, attempt, detail);
    }
  }

  /** The question has failed; `seat.lastError` says why where it may yet be answered. */
  #unanswered(seat: Seat, attempt: Attempt, { notAfter }: Claim, error: unknown): void {
    const { resource } = seat;
    const { backend, events } = this.deps;
    const lockError = asLockError(error, backend.name, resource);
    if (!isUnavailable(lockError)) {
      // It may have been granted all the same, beside what failed.
      attempt.doubtUntil = notAfter;
      // Nothing that waiting could mend, and the same for everybody: the resource is of another type.
      return seat.queue.leaveAll('unavailable', lockError);
    }
    attempt.isSpent = lockError.executed === 'yes';
    if (mayHaveActed(lockError)) attempt.doubtUntil = notAfter;
    seat.lastError = lockError;
    if (events.wants('backend.unavailable')) {
      events.emit('backend.unavailable', { resource, error: lockError, retryInMs: attempt.retryMs });
    }
  }

  holdOf(seat: Seat, { number, terms, doubtUntil }: Attempt, granted: PushedGrant): Hold {
    const { leaseMs, since: sent, token, tokens } = granted;
    return new Hold(seat, { number, terms, leaseMs, sent, token, tokens, doubtUntil }, this.#ground);
  }

  /** Makes a hold of a grant, if somebody is still there whom it fits; else gives it back. */
  #seize(seat: Seat, attempt: Attempt, granted: PushedGrant): Hold | undefined {
    const { terms, doubtUntil } = attempt;
    const { leaseMs, since: sent } = granted;
    const head = seat.head;
    const hold = this.holdOf(seat, attempt, granted);
    const isSameKind =
      head?.terms.holdAtLeastMs === terms.holdAtLeastMs &&
      head.terms.shape === terms.shape &&
      (head.terms.renew || leaseMs >= head.terms.leaseMs);
    if (isSameKind && hold.serves(head.terms, leaseMs, this.deps.clock.now())) {
      seat.lastError = undefined;
      seat.isPutOff = false;
      return hold;
    }
    if (isSameKind) this.#countUseless(seat, attempt, 'a trip takes most of the lease: raise leaseMs');
    attempt.doubtUntil = Math.max(doubtUntil, sent);
    this.giveUp(seat, attempt);
    return undefined;
  }

  /** One useless answer may be chance; from the second on the backend counts as unavailable. */
  #countUseless(seat: Seat, attempt: Attempt, detail: string): void {
    attempt.useless += 1;
    if (attempt.useless < 2) return;
    seat.lastError = new BackendUnavailableError(this.deps.backend.name, detail, 'no', {
      resource: seat.resource,
    });
  }

  /** Rejects those who do not wait after a refusal or a failure, as far as they were there when it was asked. */
  #dismiss(seat: Seat, attempt: Attempt, verdict: Verdict | undefined): void {
    if (verdict?.kind === 'refused') seat.sawHolder(verdict.holder);
    else if (seat.lastError === undefined) return;
    const isRefused = verdict?.kind === 'refused';
    seat.queue.leaveWhere(
      ({ once, terms, arrival }) => arrival <= attempt.arrivals && (once || (!isRefused && terms.failFast)),
      isRefused ? 'busy' : 'unavailable',
    );
  }

  #pause(seat: Seat, attempt: Attempt, verdict: Verdict | undefined, isWatching: boolean): number {
    const reaskMs = seat.head?.terms.reaskMs ?? Infinity;
    if (verdict?.kind !== 'refused' && seat.lastError !== undefined) {
      const pause = attempt.retryMs;
      attempt.lengthenRetry();
      return pause;
    }
    if (verdict?.kind === 'refused' && isWatching)
      return Math.max(1, Math.min(verdict.retryInMs, reaskMs, LONGEST_SLEEP_MS));
    // An answer that could not be used brought what is needed for a better question.
    if (verdict?.kind !== 'refused') return 1;
    return Math.max(1, Math.min(verdict.retryInMs, reaskMs, attempt.takePollMs(this.deps.clock.random())));
  }

  /** Withdraws what may be granted, and the place in line. */
  giveUp(seat: Seat, attempt: Attempt | undefined): void {
    if (attempt === undefined || (attempt.doubtUntil === 0 && !attempt.isEnlisted)) return;
    this.deps.withdrawals.cancel(attempt.withdrawal(seat, this.deps.backend.operationTimeoutMs));
  }
}
