import type { Clock } from '../../core/clock.js';
import { QUEUE_TIMING } from '../../core/queue-timing.js';
import { EarliestTimer } from '../../runtime/earliest-timer.js';
import type { QueuedClaim } from './queued-claim.js';
import type { QueuedClaims } from './queued-claims.js';

/** A grant stays this long after its lease, in ms: a renewal that was answered in time may still be unread. */
const GRACE_MS = 10;
/** What could not be removed is tried again after this long, in ms. */
const REMOVAL_RETRY_MS = 100;

/**
 * Does the work of a server with leases. In this process, it ends entries whose lease or request
 * has ended, and retries until it is sure that they are gone. If the process dies, its session ends
 * them. UntilConfirmed does not fit: a claim may be asked for again, so each look decides anew.
 */
export class EntryReaper {
  readonly #timer: EarliestTimer;

  constructor(
    private readonly clock: Clock,
    private readonly claims: QueuedClaims,
    private readonly remove: (queued: QueuedClaim) => Promise<unknown>,
    private readonly drop: (queued: QueuedClaim) => void,
  ) {
    this.#timer = new EarliestTimer(clock, () => this.#tick());
  }

  /** Looks at a record when it is its time. */
  schedule(queued: QueuedClaim): void {
    this.#timer.arm(this.#dueAt(queued));
  }

  close(): void {
    this.#timer.stop();
  }

  #dueAt({ phase, expiresAt, seenAt, isGone }: QueuedClaim): number {
    // Always in the past: an instant of now would still be to come for a look that has begun before it.
    if (phase === 'leaving' || isGone) return 0;
    return phase === 'granted' ? expiresAt + GRACE_MS : seenAt + QUEUE_TIMING.entrySilenceMs;
  }

  #tick(): void {
    const now = this.clock.now();
    let next = Infinity;
    for (const queued of this.claims.all()) {
      const dueAt = this.#dueAt(queued);
      if (dueAt > now) next = Math.min(next, dueAt);
      else if (queued.isBusy) next = Math.min(next, now + REMOVAL_RETRY_MS);
      else if (queued.isGone) this.drop(queued);
      else {
        this.#expire(queued);
        next = Math.min(next, now + REMOVAL_RETRY_MS);
      }
    }
    this.#timer.arm(next);
  }

  #expire(queued: QueuedClaim): void {
    queued.phase = 'leaving';
    queued.requests
      .run(() => this.remove(queued))
      .then(
        () => this.#dropIfGone(queued),
        // It is tried again at the next look.
        () => undefined,
      );
  }

  #dropIfGone(queued: QueuedClaim): void {
    if (queued.isGone && !queued.isBusy) this.drop(queued);
  }
}
