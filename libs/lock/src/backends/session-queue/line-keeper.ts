import type { Clock, Timer } from '../../core/clock.js';
import { QUEUE_TIMING } from '../../core/queue-timing.js';
import type { LineRecord } from './line-record.js';
import type { LineRecords } from './line-records.js';

/** A grant outlives its lease by this much, in ms: a renewal that was answered in time may still be unread. */
const SLACK_MS = 10;
/** What could not be removed is tried again after this long, in ms. */
const RETRY_MS = 100;

/**
 * Does what a server with leases would: it ends, in this process, the places whose lease or whose asking has ended, and
 * tries until it is sure that they are gone. A process that dies is the affair of its session.
 */
export class LineKeeper {
  #timer: Timer | undefined;
  #firesAt = Infinity;
  #isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly records: LineRecords,
    private readonly remove: (record: LineRecord) => Promise<unknown>,
    private readonly drop: (record: LineRecord) => void,
  ) {}

  /** Looks at a record when it is its time. */
  mind(record: LineRecord): void {
    this.#arm(this.#dueAt(record));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
  }

  #dueAt({ phase, until, seenAt, isGone }: LineRecord): number {
    // Always in the past: an instant of now would still be to come for a look that has begun before it.
    if (phase === 'leaving' || isGone) return 0;
    return phase === 'granted' ? until + SLACK_MS : seenAt + QUEUE_TIMING.entrySilenceMs;
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
    for (const record of this.records.all()) {
      const dueAt = this.#dueAt(record);
      if (dueAt > now) next = Math.min(next, dueAt);
      else if (record.isBusy) next = Math.min(next, now + RETRY_MS);
      else if (record.isGone) this.drop(record);
      else {
        this.#end(record);
        next = Math.min(next, now + RETRY_MS);
      }
    }
    this.#arm(next);
  }

  #end(record: LineRecord): void {
    record.phase = 'leaving';
    record
      .inTurn(() => this.remove(record))
      .then(
        () => this.#dropIfGone(record),
        // It is tried again at the next look.
        () => undefined,
      );
  }

  #dropIfGone(record: LineRecord): void {
    if (record.isGone && !record.isBusy) this.drop(record);
  }
}
