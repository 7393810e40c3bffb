import type { JointVerdict } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { outsideOfCallers } from '../../core/context.js';
import { LockBusyError, type LockError } from '../../core/errors.js';
import type { Terms } from '../../core/options/options.js';
import type { Backend } from '../../core/ports/ports.js';
import type { Attempt } from './attempt.js';
import type { Contention } from './contention.js';
import type { Hold } from '../holding/hold.js';
import type { Lease } from '../holding/lease.js';
import type { Competitor } from '../waiting/queued-synchronizer.js';
import type { Seat } from './seat.js';
import type { Seats } from './seats.js';
import { asLockError, isUnavailable, mayHaveActed } from '../../core/unavailable.js';

/** One of several locks that a caller wants together. */
export interface Want {
  readonly resource: string;
  readonly terms: Terms;
}

/** Whoever gets a lease. */
export type Grantee = Pick<Competitor<Lease>, 'terms' | 'enteredAt' | 'resolve'>;

/** One question for several resources. */
interface Joint {
  /** In the queue of the first seat, so that its deadline, its abort and closing are those of any caller. */
  readonly caller: Competitor<Lease>;
  readonly wants: readonly Want[];
  readonly seats: readonly Seat[];
  readonly attempts: readonly Attempt[];
  /** What it got beside the lease of the first. */
  readonly others: Lease[];
}

/**
 * Asks for several resources in one question, all or none, where nobody of this process uses any of them. When that is in
 * vain, the caller is already the head of the first resource's queue, and is served as any other.
 */
export class JointClaims {
  constructor(
    private readonly clock: Clock,
    private readonly backend: Backend,
    private readonly contention: Contention,
    private readonly seats: Seats,
    private readonly onGranted: (seat: Seat, hold: Hold, grantee: Grantee) => void,
  ) {}

  /**
   * The lease of the first, and those of the others if one question got them all. Undefined when they cannot be asked for
   * together.
   */
  acquire(wants: readonly Want[], signal: AbortSignal | undefined): Promise<readonly Lease[]> | undefined {
    if (!this.#mayAsk(wants)) return undefined;
    const seats = wants.map(({ resource }) => this.seats.of(resource));
    const [{ terms }] = wants as [Want];
    const [{ queue }] = seats as [Seat];
    const turn = queue.enter({ terms, signal, once: terms.waitMs === 0 });
    const others: Lease[] = [];
    if (queue.head === undefined) leaveAll(seats);
    else {
      const attempts = wants.map((want) => this.contention.firstAttempt(want.terms));
      for (const seat of seats) seat.isContending = true;
      const joint = { caller: queue.head, wants, seats, attempts, others };
      void outsideOfCallers(() => this.#run(joint));
    }
    return turn.then((first) => [first, ...others]);
  }

  #mayAsk(wants: readonly Want[]): boolean {
    if (wants.length < 2 || this.backend.leases.claimAll === undefined) return false;
    return wants.every(({ resource, terms }) => terms.shape.order === 'any' && !this.seats.has(resource));
  }

  async #run(joint: Joint): Promise<void> {
    const verdict = await this.#ask(joint);
    const { caller, seats } = joint;
    for (const seat of seats) seat.isContending = false;
    if (verdict?.kind === 'granted') this.#seize(joint, verdict.tokens);
    else if (verdict?.kind === 'refused' && caller.once) {
      seats[0]!.queue.leave(caller, 'busy', new LockBusyError(verdict.resource, verdict.holder));
    }
    // For who came meanwhile, and for the caller where it was in vain.
    for (const seat of seats) this.contention.start(seat);
    leaveAll(seats);
  }

  /** Undefined when there was no answer; whatever it may have done is undone. */
  async #ask(joint: Joint): Promise<JointVerdict | undefined> {
    const { seats, attempts } = joint;
    const claims = seats.map((seat, i) => ({
      ...this.contention.question(seat, attempts[i]!, false),
      mayPush: false,
    }));
    try {
      return await this.backend.leases.claimAll!(claims);
    } catch (error) {
      const lockError = asLockError(error, this.backend.name, seats[0]!.resource);
      if (mayHaveActed(lockError)) this.#giveUp(joint, claims[0]!.notAfter);
      this.#tellFailure(joint, lockError);
      return undefined;
    }
  }

  /** A caller that does not wait leaves; for others each resource is asked for by itself, which shows what is wrong. */
  #tellFailure({ caller, seats }: Joint, error: LockError): void {
    if (!isUnavailable(error)) return;
    const [{ resource, room, queue }] = seats as [Seat];
    if (room.events.wants('backend.unavailable'))
      room.events.emit('backend.unavailable', { resource, error, retryInMs: 0 });
    if (caller.once || caller.terms.failFast) queue.leave(caller, 'unavailable', error);
  }

  /** Gives the leases to the caller, if it is still there and all are worth something; else gives everything back. */
  #seize(joint: Joint, tokens: readonly number[]): void {
    const { caller, wants, seats, attempts, others } = joint;
    const now = this.clock.now();
    const holds = attempts.map((attempt, i) =>
      this.contention.holdOf(seats[i]!, attempt, attempt.granted(tokens[i]!)),
    );
    const isOfUse = holds.every((hold, i) => hold.serves(wants[i]!.terms, attempts[i]!.leaseMs, now));
    if (!caller.waiting || !isOfUse) return this.#giveUp(joint, now);
    // Taken out of the queue before anybody is told: a listener may abort or close what it likes.
    const { enteredAt, resolve } = seats[0]!.shift();
    for (const [i, hold] of holds.entries()) {
      const { terms } = wants[i]!;
      const isFirst = i === 0;
      const grantee = {
        terms,
        enteredAt,
        resolve: isFirst ? resolve : (lease: Lease) => void others.push(lease),
      };
      this.onGranted(seats[i]!, hold, grantee);
    }
  }

  #giveUp({ seats, attempts }: Joint, doubtUntil: number): void {
    for (const [i, attempt] of attempts.entries()) {
      attempt.doubtUntil = doubtUntil;
      this.contention.giveUp(seats[i]!, attempt);
    }
  }
}

function leaveAll(seats: readonly Seat[]): void {
  for (const seat of seats) seat.dropIfIdle();
}
