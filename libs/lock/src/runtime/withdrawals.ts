import type { ClaimRef, WithdrawOutcome } from '../core/claim.js';
import { atMost, sleep, type Clock } from '../core/clock.js';
import type { ReleaseEnd } from '../core/events.js';
import type { LeaseDriver } from '../core/ports/ports.js';
import { mayHaveActed } from '../core/unavailable.js';
import { UntilConfirmed } from './until-confirmed.js';

/** The pauses before an unanswered withdrawal is repeated, in ms. */
const RETRY_MS = { first: 20, longest: 1_000 };

/** A claim to withdraw. */
export interface Withdrawal {
  readonly ref: ClaimRef;
  /** The rest of `holdAtLeastMs`. */
  readonly keepMs: number;
  /** Asked at each send: no caller of this process waits for the resource. */
  readonly leavesQueue: () => boolean;
  /** A request that may still be in flight is refused by the server from this instant on; 0 when there is none. */
  readonly notBefore: number;
  /** When the grant has ended by itself at the latest, monotonic ms; later as late renewals turn up. */
  readonly overAt: () => number;
}

/**
 * Gives claims back at once. Without an answer, it repeats the withdrawal until it is confirmed or
 * the grant is over.
 */
export class Withdrawals extends UntilConfirmed {
  constructor(
    clock: Clock,
    private readonly driver: Pick<LeaseDriver, 'withdraw'>,
    private readonly operationTimeoutMs: number,
  ) {
    super(clock, RETRY_MS);
  }

  /**
   * Withdraws a granted claim; settles within `operationTimeoutMs`, never throws. After an attempt
   * without an answer, `absent` may result from that attempt: then it is `unconfirmed`.
   */
  release(withdrawal: Withdrawal): Promise<ReleaseEnd> {
    const deadline = this.clock.now() + this.operationTimeoutMs;
    this.inFlight.begin();
    return this.#send(withdrawal).then(
      (outcome) => {
        if (this.clock.now() < withdrawal.notBefore) this.cancel(withdrawal);
        this.inFlight.end();
        return outcome === 'released' ? 'released' : 'lost';
      },
      (error: unknown) => this.#confirm(withdrawal, mayHaveActed(error), deadline),
    );
  }

  /** Withdraws an unwanted claim in the background. */
  cancel(withdrawal: Withdrawal): void {
    this.inFlight.begin();
    void this.#untilConfirmed(withdrawal).finally(() => this.inFlight.end());
  }

  override drain(ms: number): Promise<void> {
    this.hurry();
    return super.drain(ms);
  }

  // Continues in the background; the caller waits for it no longer than promised.
  async #confirm(withdrawal: Withdrawal, mayHaveBeenSent: boolean, deadline: number): Promise<ReleaseEnd> {
    const confirmed = sleep(this.clock, RETRY_MS.first, true)
      .then(() => this.#untilConfirmed(withdrawal, mayHaveBeenSent))
      .finally(() => this.inFlight.end());
    return (await atMost(this.clock, deadline - this.clock.now(), confirmed)) ?? 'unconfirmed';
  }

  async #untilConfirmed(withdrawal: Withdrawal, mayHaveBeenSent = true): Promise<ReleaseEnd> {
    const outcome = await this.repeat({
      send: () => this.#send(withdrawal),
      // An earlier request may be executed after this answer, up to the instant when the server calls it stale.
      repeatAt: (_, sentAt) => (sentAt < withdrawal.notBefore ? withdrawal.notBefore : undefined),
      mayRepeat: (error) => {
        mayHaveBeenSent ||= mayHaveActed(error);
        return this.clock.now() < withdrawal.overAt();
      },
    });
    if (outcome === 'released') return 'released';
    return outcome === undefined || mayHaveBeenSent ? 'unconfirmed' : 'lost';
  }

  #send({ ref, keepMs, leavesQueue }: Withdrawal): Promise<WithdrawOutcome> {
    try {
      return this.driver.withdraw(ref, { keepMs, leaveQueue: leavesQueue() });
    } catch (error) {
      // A driver that throws instead of rejecting must not make `release()` throw.
      return rejection(error);
    }
  }
}

async function rejection(error: unknown): Promise<never> {
  throw error;
}
