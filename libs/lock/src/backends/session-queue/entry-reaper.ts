import type { Clock, Timer } from '../../core/clock.js';
import { QUEUE_TIMING } from '../../core/queue-timing.js';
import type { QueuedClaim } from './queued-claim.js';
import type { QueuedClaims } from './queued-claims.js';

/** A grant stays this long after its lease, in ms: a renewal that was answered in time may still be unread. */
const GRACE_MS = 10;
/** What could not be removed is tried again after this long, in ms. */
const RETRY_MS = 100;

/**
 * Does the work of a server with leases. In this process, it ends entries whose lease or request
 * has ended, and retries until it is sure that they are gone. If the process dies, its session ends
 * them.
 */
export class EntryReaper {
  #timer: Timer | undefined;
  #firesAt = Infinity;
  #isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly claims: QueuedClaims,
    private readonly remove: (queued: QueuedClaim) => Promise<unknown>,
    private readonly drop: (queued: QueuedClaim) => void,
  ) {}

  /** Looks at a record when it is its time. */
  schedule(queued: QueuedClaim): void {
    this.#arm(this.#dueAt(queued));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
  }

  #dueAt({ phase, expiresAt, seenAt, isGone }: QueuedClaim): number {
    // Always in the past: an instant of now would still be to come for a look that has begun before it.
    if (phase === 'leaving' || isGone) return 0;
    return phase === 'granted' ? expiresAt + GRACE_MS : seenAt + QUEUE_TIMING.entrySilenceMs;
  }

  #arm(at: number): void {
    if (at >= this.#firesAt || this.#isClosed) return;
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#firesAt = at;
    this.#timer = this.clock.setTimer(() => this.#tick(), at - this.clock.now());
  }

  #tick(): void {
    this.#timer = undefined;
    this.#firesAt = Infinity;
    const now = this.clock.now();
    let next = Infinity;
    for (const queued of this.claims.all()) {
      const dueAt = this.#dueAt(queued);
      if (dueAt > now) next = Math.min(next, dueAt);
      else if (queued.isBusy) next = Math.min(next, now + RETRY_MS);
      else if (queued.isGone) this.drop(queued);
      else {
        this.#expire(queued);
        next = Math.min(next, now + RETRY_MS);
      }
    }
    this.#arm(next);
  }

  #expire(queued: QueuedClaim): void {
    queued.phase = 'leaving';
    queued.turns
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
