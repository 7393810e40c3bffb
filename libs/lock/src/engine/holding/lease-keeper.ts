import { modeOf, type HeldRef, type RenewOutcome } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import type { LossReason } from '../../core/errors.js';
import type { EventFacts, EventHub } from '../../core/events.js';
import type { LeaseDriver } from '../../core/ports/ports.js';
import type { RequestObserver } from '../../core/ports/request-observer.js';
import { OncePerTurn } from '../../runtime/after-microtasks.js';
import { EarliestTimer } from '../../runtime/earliest-timer.js';
import type { Hold } from './hold.js';

/** A renewal due within this share of the lease goes with the batch of now. */
const COALESCE_SHARE = 0.1;
/** Two ticks are at least this far apart, in ms. */
const MIN_TICK_MS = 2;
/** The longest sleep, in ms: a suspended system is noticed this long after it woke up. */
const MAX_TICK_MS = 1_000;
/** A timer later than this means that the event loop was blocked, in ms. */
const STALL_MS = 100;

export interface LeaseKeeperDeps {
  readonly clock: Clock;
  /** All holds of the process; the kept ones are marked. */
  readonly allHolds: () => Iterable<Hold>;
  readonly driver: LeaseDriver;
  readonly events: EventHub;
  readonly requests: RequestObserver;
  /** Called once for a hold whose lease has ended before its release. */
  readonly onLost: (hold: Hold, reason: LossReason) => void;
}

/**
 * Renews all holds with one timer, in batches, and tells which are lost. Silence never extends a lock: without an
 * answer the old deadline stands, and the renewal is tried again after min(lease / 20, 1 s).
 */
export class LeaseKeeper {
  #size = 0;
  /** Short holds that are renewed at the end of this turn. */
  #shortHolds: Hold[] = [];
  readonly #shortRenewal = new OncePerTurn(() => this.#renewShort());
  readonly #timer: EarliestTimer;

  constructor(private readonly deps: LeaseKeeperDeps) {
    this.#timer = new EarliestTimer(deps.clock, (lateMs) => this.#tick(lateMs), MAX_TICK_MS);
  }

  get size(): number {
    return this.#size;
  }

  holds(): readonly Hold[] {
    return Array.from(this.deps.allHolds()).filter(({ isKept }) => isKept);
  }

  /** Begins to keep a hold, or looks anew at one whose lease has changed. */
  keep(hold: Hold): void {
    if (!hold.isKept) this.#size += 1;
    hold.isKept = true;
    hold.planRenewal();
    if (hold.isShort && !hold.isRenewing) this.#renewSoon(hold);
    this.#scheduleFor(hold);
  }

  drop(hold: Hold): void {
    if (hold.isKept) this.#size -= 1;
    hold.isKept = false;
  }

  /** Asks the backend about the holds on a resource now (all of them without one). */
  verify(resource?: string): void {
    const due = this.holds().filter((hold) => resource === undefined || hold.resource === resource);
    this.#renew(due);
  }

  /** Renews one hold now, for `leaseMs`; like any renewal it may find out that the hold is lost or revoked. */
  async renewNow(hold: Hold, leaseMs: number): Promise<{ outcome: RenewOutcome; sentAt: number }> {
    const { id, resource, shape } = hold;
    const ref = { id, resource, shape, leaseMs, keepMs: hold.keepMsAt(this.deps.clock.now()) };
    const { outcomes, sentAt } = await this.#ask([hold], [ref]);
    return { outcome: outcomes[0]!, sentAt };
  }

  /** Tells the backend what a hold has become; it is repeated without an answer, as a renewal is. */
  async update(hold: Hold): Promise<RenewOutcome> {
    const now = this.deps.clock.now();
    // A fixed lease is renewed for this alone.
    hold.renewDue ??= now;
    const { outcomes } = await this.#ask([hold], [heldRef(hold, now)]);
    if (hold.isKept) this.#scheduleFor(hold);
    return outcomes[0]!;
  }

  stop(): void {
    this.#timer.stop();
    for (const hold of this.holds()) this.drop(hold);
  }

  /**
   * With all others of this turn, unless it is released in it: a stall must not cost a lease that
   * was asked for as a long one.
   */
  #renewSoon(hold: Hold): void {
    this.#shortHolds.push(hold);
    this.#shortRenewal.schedule();
  }

  #renewShort(): void {
    const short = new Set(this.#shortHolds);
    this.#shortHolds = [];
    this.#renew([...short].filter(({ isKept, isShort, isRenewing }) => isKept && isShort && !isRenewing));
  }

  #dueAt(hold: Hold): number {
    const end = hold.lease!.endsAt;
    return hold.isRenewing || hold.renewDue === undefined ? end : Math.min(end, hold.renewDue);
  }

  #isDue({ isRenewing, renewDue, lease }: Hold, now: number): boolean {
    return (
      !isRenewing && renewDue !== undefined && renewDue - lease!.settings.leaseMs * COALESCE_SHARE <= now
    );
  }

  #scheduleFor(hold: Hold): void {
    this.#timer.arm(this.#dueAt(hold));
  }

  #tick(lateMs: number): void {
    if (lateMs > STALL_MS && this.#size > 0 && this.deps.events.hasListeners('loop.stalled')) {
      this.deps.events.emit('loop.stalled', { lateMs, holds: this.#size });
    }
    const now = this.deps.clock.now();
    const due: Hold[] = [];
    let next = Infinity;
    for (const hold of this.holds()) {
      if (now >= hold.lease!.endsAt) this.#suspect(hold);
      else if (this.#isDue(hold, now)) due.push(hold);
      else next = Math.min(next, this.#dueAt(hold));
    }
    this.#renew(due);
    for (const hold of due) next = Math.min(next, this.#dueAt(hold));
    this.#timer.arm(Math.max(next, now + MIN_TICK_MS));
  }

  // A renewal that was confirmed in time may still be unread, since timers run before sockets are read.
  #suspect(hold: Hold): void {
    const { lease } = hold;
    this.deps.clock.afterPoll(() => {
      if (!hold.isKept || hold.lease !== lease || lease === undefined) return;
      const now = this.deps.clock.now();
      if (now < lease.endsAt) return this.#scheduleFor(hold);
      this.deps.onLost(hold, hold.lossReasonAt(now));
    });
  }

  #renew(due: readonly Hold[]): void {
    if (due.length === 0) return;
    const refs = due.map((hold) => heldRef(hold, this.deps.clock.now()));
    for (const hold of due) hold.isRenewing = true;
    void this.#ask(due, refs).then(() => {
      for (const hold of due) {
        hold.isRenewing = false;
        if (hold.isKept) this.#scheduleFor(hold);
      }
    });
  }

  /** Asks, and settles each hold with its outcome. Never rejects: no answer is `unknown`. */
  async #ask(
    due: readonly Hold[],
    refs: readonly HeldRef[],
  ): Promise<{ outcomes: RenewOutcome[]; sentAt: number }> {
    const sentAt = this.deps.clock.now();
    due.forEach((hold, i) => hold.onRequested(sentAt + Math.max(refs[i]!.leaseMs, refs[i]!.keepMs)));
    let answers: readonly RenewOutcome[] = [];
    try {
      answers = await this.deps.requests.observeBatch('renew', refs, this.deps.driver.renew(refs));
    } catch {
      // Silence: every outcome is unknown.
    }
    const outcomes = due.map((hold, i) => {
      const outcome = answers[i] ?? 'unknown';
      this.#settle(hold, refs[i]!, sentAt, outcome);
      return outcome;
    });
    return { outcomes, sentAt };
  }

  #settle(hold: Hold, ref: HeldRef, sentAt: number, outcome: RenewOutcome): void {
    const { lease } = hold;
    if (!hold.isKept || lease === undefined) return;
    if (outcome === 'lost') return this.deps.onLost(hold, 'taken');
    if (outcome === 'renewed') {
      const marginMs = Math.max(0, hold.validUntil - this.deps.clock.now());
      hold.confirm(sentAt, ref.leaseMs);
      hold.planRenewal();
      this.#publish('lease.renewed', hold, { leaseMs: lease.settings.leaseMs, marginMs });
    } else if (outcome === 'revoked') {
      const isNews = !hold.isRevoked;
      hold.isRevoked = true;
      hold.renewDue = undefined;
      // Afterwards: a listener that releases must not hand a revoked claim over.
      if (isNews) this.#publish('lease.revoked', hold, {});
    } else if (hold.renewDue !== undefined) {
      hold.renewDue = Math.ceil(this.deps.clock.now() + Math.min(lease.settings.leaseMs / 20, 1_000));
      this.#publish('lease.renewalFailed', hold, { leaseMs: lease.settings.leaseMs });
    }
  }

  #publish<N extends 'lease.renewed' | 'lease.renewalFailed' | 'lease.revoked'>(
    event: N,
    hold: Hold,
    facts: Omit<EventFacts<N>, 'resource' | 'mode' | 'leaseId' | 'remainingMs'>,
  ): void {
    if (!this.deps.events.hasListeners(event)) return;
    const { id, resource, remainingMs, settings } = hold.lease!;
    const about = { resource, mode: modeOf(settings.shape), leaseId: id, remainingMs };
    this.deps.events.emit(event, { ...about, ...facts } as unknown as EventFacts<N>);
  }
}

// A fixed lease asks for 1 ms: a grant is never shortened, so that only verifies it.
function heldRef(hold: Hold, now: number): HeldRef {
  const { settings } = hold.lease!;
  return {
    id: hold.id,
    resource: hold.resource,
    shape: hold.shape,
    leaseMs: settings.renew && !hold.isRevoked ? settings.leaseMs : 1,
    keepMs: hold.keepMsAt(now),
  };
}
