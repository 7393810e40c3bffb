import type { ClaimRef, WithdrawOptions, WithdrawOutcome } from '../core/claim.js';
import { sleep, type Clock } from '../core/clock.js';
import type { ReleaseOutcome } from '../core/events.js';
import type { LeaseDriver } from '../core/ports.js';
import { isUnavailable } from './unavailable.js';

const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 1_000;

/** What is to be withdrawn. */
export interface Withdrawal {
  readonly ref: ClaimRef;
  /** What is left of `holdAtLeastMs`. */
  readonly keepMs: number;
  /** Asked at each send: nobody of this process waits for the resource. */
  readonly leavesQueue: () => boolean;
  /** A request that may still be under way is refused by the server from this instant on; 0 when there is none. */
  readonly notBefore: number;
  /** When the grant has ended by itself at the latest, monotonic ms. */
  readonly overAt: number;
}

/** Gives claims back: at once, and where the answer is missing again and again until it is confirmed or over. */
export class Withdrawals {
  #pending = 0;
  #stopped = false;
  #onDrained: (() => void) | undefined;

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
  async release(withdrawal: Withdrawal): Promise<ReleaseOutcome> {
    this.#pending += 1;
    const outcome = await this.#attempt(withdrawal);
    this.#settled();
    return outcome;
  }

  /** Withdraws a claim that nobody wants, in the background. */
  cancel(withdrawal: Withdrawal): void {
    this.#pending += 1;
    void this.#untilConfirmed(withdrawal).then(() => this.#settled());
  }

  /** Waits until everything is confirmed, at most `ms`; then nothing more is sent. */
  async drain(ms: number): Promise<void> {
    if (this.#pending > 0) {
      await Promise.race([
        new Promise<void>((resolve) => (this.#onDrained = resolve)),
        sleep(this.clock, ms),
      ]);
    }
    this.#stopped = true;
  }

  #settled(): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#onDrained?.();
  }

  async #attempt(withdrawal: Withdrawal): Promise<ReleaseOutcome> {
    const deadline = this.clock.now() + this.operationTimeoutMs;
    let mayHaveActed = false;
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)) {
      try {
        const outcome = await this.#send(withdrawal);
        if (this.clock.now() < withdrawal.notBefore) this.cancel(withdrawal);
        if (outcome === 'released') return 'released';
        return mayHaveActed ? 'unconfirmed' : 'lost';
      } catch (error) {
        if (!isUnavailable(error) || error.executed === 'unknown') mayHaveActed = true;
        if (this.#stopped || this.clock.now() + retryMs >= deadline) break;
      }
      await sleep(this.clock, retryMs);
    }
    this.cancel(withdrawal);
    return 'unconfirmed';
  }

  async #untilConfirmed(withdrawal: Withdrawal): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; !this.#stopped; retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)) {
      const sentAt = this.clock.now();
      try {
        await this.#send(withdrawal);
        // An earlier request may be executed after this answer, up to the instant when the server calls it stale.
        if (sentAt >= withdrawal.notBefore) return;
        retryMs = FIRST_RETRY_MS;
        await sleep(this.clock, Math.max(1, withdrawal.notBefore - this.clock.now()));
        continue;
      } catch {
        if (this.clock.now() >= withdrawal.overAt) return;
      }
      await sleep(this.clock, retryMs);
    }
  }

  #send({ ref, keepMs, leavesQueue }: Withdrawal): Promise<WithdrawOutcome> {
    const options: WithdrawOptions = { keepMs, leaveQueue: leavesQueue() };
    return this.driver.withdraw(ref, options);
  }
}
