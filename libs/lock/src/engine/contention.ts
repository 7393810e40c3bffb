import type { Claim, Verdict } from '../core/claim.js';
import { momentOf, type Clock } from '../core/clock.js';
import { outsideOfCallers } from '../core/context.js';
import { BackendUnavailableError } from '../core/errors.js';
import type { EventHub } from '../core/events.js';
import type { Terms } from '../core/options.js';
import type { Backend, Unsubscribe } from '../core/ports.js';
import { askFor, Attempt } from './attempt.js';
import { Hold, type HoldGround, type Quantum } from './hold.js';
import type { Seat } from './seat.js';
import { asLockError, isUnavailable } from './unavailable.js';
import type { WakeHub } from './wake-hub.js';
import type { Withdrawals } from './withdrawals.js';

/** With push, the sweep re-asks; this only bounds the sleep. */
const LONGEST_SLEEP_MS = 60_000;

/**
 * The only waiting loop. It runs while somebody waits for a resource that this process does not hold; the head of the
 * queue asks, everybody else waits for free. What is granted goes to whoever is the head by then.
 */
export class Contention {
  readonly #ground: HoldGround;
  #claims = 0;

  constructor(
    private readonly clock: Clock,
    private readonly backend: Backend,
    private readonly hub: WakeHub,
    private readonly withdrawals: Withdrawals,
    private readonly events: EventHub,
    private readonly quantum: Quantum,
    /** Seats the head on a granted claim. */
    private readonly onGranted: (seat: Seat, hold: Hold, tries: number) => void,
  ) {
    this.#ground = { clock, processId: backend.processId, quantum, wallOrigin: clock.wall() };
  }

  /** Starts the loop unless it runs. Asks in this very tick. */
  start(seat: Seat): void {
    if (seat.isContending || seat.hold !== undefined || seat.waiting === 0) return;
    seat.isContending = true;
    // The loop outlives the caller that started it.
    void outsideOfCallers(() => this.#run(seat));
  }

  async #run(seat: Seat): Promise<void> {
    let attempt: Attempt | undefined;
    let unwatch: Unsubscribe | undefined;
    for (let head = seat.head; head !== undefined; head = seat.head) {
      attempt = this.#prepare(seat, attempt, head.terms);
      seat.woken = false;
      // A live subscription is joined before asking, so that no wake falls between the answer and the sleep.
      unwatch ??= this.hub.join(seat.resource, () => seat.wake());
      const claim = this.#question(seat, attempt);
      let verdict: Verdict | undefined;
      try {
        verdict = await this.backend.leases.claim(claim);
        this.#answered(seat, attempt, verdict, claim.queue);
      } catch (error) {
        this.#unanswered(seat, attempt, claim, error);
      }
      if (verdict?.kind === 'granted') {
        const hold = this.#seize(seat, attempt, verdict.token);
        if (hold !== undefined) {
          unwatch?.();
          seat.isContending = false;
          return this.onGranted(seat, hold, attempt.tries);
        }
        attempt = this.#newAttempt(attempt.terms, attempt);
      }
      this.#dismiss(seat, attempt, verdict);
      if (seat.waiting === 0 || seat.woken) continue;
      if (verdict?.kind === 'refused' && this.backend.traits.push && unwatch === undefined) {
        unwatch = await this.#watch(seat);
        // Whatever was released before the subscription stood has woken nobody: ask once more.
        if (unwatch !== undefined) continue;
      }
      await seat.sleep(this.#pause(seat, attempt, verdict, unwatch !== undefined));
    }
    unwatch?.();
    seat.isContending = false;
    this.#giveUp(seat, attempt);
    seat.dropIfIdle();
  }

  /** The attempt for the head: the running one while its terms fit; one in doubt under other terms is withdrawn. */
  #prepare(seat: Seat, attempt: Attempt | undefined, terms: Terms): Attempt {
    const behind = seat.waiting - 1;
    const { leaseMs, tokens } = askFor(terms, behind, this.quantum, this.backend.traits.maxLeaseMs);
    const isOther = attempt?.leaseMs !== leaseMs || attempt.terms.holdAtLeastMs !== terms.holdAtLeastMs;
    if (attempt !== undefined && attempt.doubtUntil > 0 && isOther) {
      this.#giveUp(seat, attempt);
      attempt = undefined;
    }
    attempt ??= this.#newAttempt(terms);
    attempt.terms = terms;
    attempt.leaseMs = leaseMs;
    attempt.tokens = tokens;
    return attempt;
  }

  /** The question for the backend, as it is sent now. */
  #question(seat: Seat, attempt: Attempt): Claim {
    const { id } = attempt;
    const { resource } = seat;
    attempt.tries += 1;
    attempt.sent = momentOf(this.clock);
    attempt.arrivals = seat.room.arrivals;
    if (this.events.wants('claim.asked'))
      this.events.emit('claim.asked', { resource, id, tries: attempt.tries });
    const notAfter = attempt.sent.at + this.backend.operationTimeoutMs;
    return attempt.claim(resource, seat.head?.once !== true, notAfter);
  }

  #newAttempt(terms: Terms, before?: Attempt): Attempt {
    return new Attempt(this.backend.processId, ++this.#claims, terms, before);
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
    const lockError = asLockError(error, this.backend.name, resource);
    if (!isUnavailable(lockError)) {
      // It may have been granted all the same, beside what failed.
      attempt.doubtUntil = notAfter;
      // Nothing that waiting could mend, and the same for everybody: the resource is of another type.
      return seat.queue.leaveAll('unavailable', lockError);
    }
    if (lockError.executed === 'unknown') attempt.doubtUntil = notAfter;
    seat.lastError = lockError;
    if (this.events.wants('backend.unavailable')) {
      this.events.emit('backend.unavailable', { resource, error: lockError, retryInMs: attempt.retryMs });
    }
  }

  /** Makes a hold of a grant, if somebody is still there whom it fits; else gives it back. */
  #seize(seat: Seat, attempt: Attempt, token: number): Hold | undefined {
    const { number, terms, leaseMs, tokens, sent, doubtUntil } = attempt;
    const head = seat.head;
    const grant = { number, terms, leaseMs, sent, token, tokens, doubtUntil };
    const hold = new Hold(seat.resource, grant, this.#ground);
    const isSameKind =
      head?.terms.holdAtLeastMs === terms.holdAtLeastMs &&
      (head.terms.renew || leaseMs >= head.terms.leaseMs);
    if (isSameKind && hold.serves(head.terms, this.clock.now())) {
      seat.lastError = undefined;
      return hold;
    }
    if (isSameKind) this.#countUseless(seat, attempt, 'a trip takes most of the lease: raise leaseMs');
    attempt.doubtUntil = Math.max(doubtUntil, sent.at);
    this.#giveUp(seat, attempt);
    return undefined;
  }

  /** One useless answer may be chance; from the second on the backend counts as unavailable. */
  #countUseless(seat: Seat, attempt: Attempt, detail: string): void {
    attempt.useless += 1;
    if (attempt.useless < 2) return;
    seat.lastError = new BackendUnavailableError(this.backend.name, detail, 'no', {
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

  async #watch(seat: Seat): Promise<Unsubscribe | undefined> {
    try {
      return await this.hub.watch(seat.resource, () => seat.wake());
    } catch {
      // Without wakes the head polls; the next refusal tries to subscribe again.
      return undefined;
    }
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
    return Math.max(1, Math.min(verdict.retryInMs, reaskMs, attempt.takePollMs()));
  }

  /** Withdraws what may be granted, and the place in line. */
  #giveUp(seat: Seat, attempt: Attempt | undefined): void {
    if (attempt === undefined || (attempt.doubtUntil === 0 && !attempt.isEnlisted)) return;
    const { id, terms, doubtUntil, sent, leaseMs } = attempt;
    this.withdrawals.cancel({
      ref: { id, resource: seat.resource },
      keepMs: 0,
      leavesQueue: () => seat.waiting === 0,
      notBefore: doubtUntil,
      overAt: () => sent.at + Math.max(leaseMs, terms.holdAtLeastMs) + this.backend.operationTimeoutMs,
    });
  }
}
