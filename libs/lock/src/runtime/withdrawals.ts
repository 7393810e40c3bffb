import type { ClaimRef, WithdrawOutcome } from '../core/claim.js';
import { atMost, sleep, type Clock } from '../core/clock.js';
import type { ReleaseEnd } from '../core/events.js';
import type { LeaseDriver } from '../core/ports/ports.js';
import { mayHaveActed } from '../core/unavailable.js';

const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 1_000;

/** What is to be withdrawn. */
export interface Withdrawal {
  readonly ref: ClaimRef;
  /** What is left of `holdAtLeastMs`. */
  readonly keepMs: number;
  /** Asked at each send: no caller of this process waits for the resource. */
  readonly leavesQueue: () => boolean;
  /** A request that may still be in flight is refused by the server from this instant on; 0 when there is none. */
  readonly notBefore: number;
  /** When the grant has ended by itself at the latest, monotonic ms; later as late renewals turn up. */
  readonly overAt: () => number;
}

/** Gives claims back: at once, and where the answer is missing again and again until it is confirmed or over. */
export class Withdrawals {
  #pending = 0;
  #stopped = false;
  #onDrained: (() => void) | undefined;
  #isDraining = false;
  /** What ends each pause between two tries. */
  readonly #pauses = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly driver: LeaseDriver,
    private readonly operationTimeoutMs: number,
  ) {}

  /** Withdrawals that are not confirmed yet. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Withdraws a granted claim; settles within `operationTimeoutMs`, never throws. `absent` after an attempt without an
   * answer may be that attempt's own doing: `unconfirmed`.
   */
  release(withdrawal: Withdrawal): Promise<ReleaseEnd> {
    const deadline = this.clock.now() + this.operationTimeoutMs;
    this.#pending += 1;
    return this.#send(withdrawal).then(
      (outcome) => {
        if (this.clock.now() < withdrawal.notBefore) this.cancel(withdrawal);
        this.#settled();
        return outcome === 'released' ? 'released' : 'lost';
      },
      (error: unknown) => this.#confirm(withdrawal, mayHaveActed(error), deadline),
    );
  }

  /** Withdraws an unwanted claim in the background. */
  cancel(withdrawal: Withdrawal): void {
    this.#pending += 1;
    void this.#untilConfirmed(withdrawal).finally(() => this.#settled());
  }

  /** Waits until everything is confirmed, at most `ms`; then nothing more is sent. */
  async drain(ms: number): Promise<void> {
    // What is left of the time is for trying, not for pauses that have grown.
    this.#isDraining = true;
    for (const end of [...this.#pauses]) end();
    if (this.#pending > 0)
      await atMost(this.clock, ms, new Promise<void>((resolve) => (this.#onDrained = resolve)));
    this.#stopped = true;
  }

  #settled(): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#onDrained?.();
  }

  // Goes on in the background; the caller waits for it no longer than it was promised.
  async #confirm(withdrawal: Withdrawal, hasActed: boolean, deadline: number): Promise<ReleaseEnd> {
    const confirmed = sleep(this.clock, FIRST_RETRY_MS)
      .then(() => this.#untilConfirmed(withdrawal, hasActed))
      .finally(() => this.#settled());
    return (await atMost(this.clock, deadline - this.clock.now(), confirmed)) ?? 'unconfirmed';
  }

  async #untilConfirmed(withdrawal: Withdrawal, hasActed = true): Promise<ReleaseEnd> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.#stopped) {
      const sentAt = this.clock.now();
      try {
        const outcome = await this.#send(withdrawal);
        // An earlier request may be executed after this answer, up to the instant when the server calls it stale.
        if (sentAt >= withdrawal.notBefore) return answerOf(outcome, hasActed);
        await sleep(this.clock, withdrawal.notBefore - this.clock.now());
      } catch (error) {
        hasActed ||= mayHaveActed(error);
        if (this.clock.now() >= withdrawal.overAt()) break;
        await this.#pause(retryMs);
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      }
    }
    return 'unconfirmed';
  }

  /** Short when the end is near, which also cuts short a pause that has begun. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.clock.clearTimer(timer);
        this.#pauses.delete(end);
        resolve();
      };
      const timer = this.clock.setTimer(end, this.#isDraining ? FIRST_RETRY_MS : ms);
      this.#pauses.add(end);
    });
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

// `absent` after an attempt without an answer may be that attempt's own doing.
function answerOf(outcome: WithdrawOutcome, hasActed: boolean): ReleaseEnd {
  if (outcome === 'released') return 'released';
  return hasActed ? 'unconfirmed' : 'lost';
}
