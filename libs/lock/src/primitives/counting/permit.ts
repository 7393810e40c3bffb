import type { ReleaseOutcome } from '../../core/events.js';
import type { SuspendAwareClock } from '../../core/suspend-aware-clock.js';
import { driftMargin } from '../../engine/holding/hold.js';

/** Where a permit comes from. */
export interface PermitSource {
  readonly resource: string;
  release(id: string): Promise<ReleaseOutcome>;
  extend(id: string, leaseMs: number): Promise<boolean>;
}

/** The facts of a permit at its grant. */
export interface PermitGrant {
  readonly id: string;
  readonly leaseMs: number;
  /** Before the request was sent, monotonic ms. */
  readonly sentAt: number;
}

/** A permit of an `ExpirableSemaphore`: `await using permit = await semaphore.acquire()`. */
export class Permit implements AsyncDisposable {
  /** 32 hexadecimal digits: any process that knows them may release and extend the permit. */
  readonly id: string;
  readonly #source: PermitSource;
  readonly #clock: SuspendAwareClock;
  readonly #leaseMs: number;
  /** By the clock that counts sleep. */
  #endsAt: number;
  #released: Promise<ReleaseOutcome> | undefined;

  /** @internal */
  constructor(source: PermitSource, clock: SuspendAwareClock, { id, leaseMs, sentAt }: PermitGrant) {
    this.id = id;
    this.#source = source;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#endsAt = endOf(sentAt, leaseMs);
  }

  get resource(): string {
    return this.#source.resource;
  }

  /**
   * Until when it holds as far as this object knows, in ms of `performance.now()`; others may have
   * changed it. Earlier once the machine has slept, which that clock does not count.
   */
  get validUntil(): number {
    return this.#endsAt - this.#clock.sleptMs;
  }

  /** @see validUntil */
  get remainingMs(): number {
    return this.isHeld ? this.#endsAt - this.#clock.now() : 0;
  }

  /** By the clock, without a round trip. @see validUntil */
  get isHeld(): boolean {
    return this.#released === undefined && this.#clock.now() < this.#endsAt;
  }

  /**
   * Starts the lease anew; without `leaseMs` as long as it was granted for. False when it has ended or was released.
   * @throws as `ExpirableSemaphore.extend()`
   */
  async extend(leaseMs: number = this.#leaseMs): Promise<boolean> {
    if (this.#released !== undefined) return false;
    const end = endOf(this.#clock.now(), leaseMs);
    // Without an answer, either end may be the one that the server has.
    this.#endsAt = Math.min(this.#endsAt, end);
    const isExtended = await this.#source.extend(this.id, leaseMs);
    this.#endsAt = isExtended ? end : -Infinity;
    return isExtended;
  }

  /** Gives it back. A second call repeats the first answer. @throws as `ExpirableSemaphore.release()` */
  release(): Promise<ReleaseOutcome> {
    this.#released ??= this.#source.release(this.id);
    return this.#released;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

// The server counts from the receipt, and its clock may run faster.
function endOf(sentAt: number, leaseMs: number): number {
  return leaseMs === Infinity ? Infinity : sentAt + leaseMs - driftMargin(leaseMs);
}
