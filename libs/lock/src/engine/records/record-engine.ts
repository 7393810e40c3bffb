import { atMost, randomUuid, type Clock } from '../../core/clock.js';
import { LockClosedError } from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import type { Backend, RecordDriver } from '../../core/ports/ports.js';
import type { RecordRef } from '../../core/ports/records.js';
import { WakeableSleep } from '../../runtime/wakeable-sleep.js';
import { Backoff } from '../../runtime/backoff.js';

/** A run that has not ended. */
interface ActiveRun {
  /** Lets its lease end. */
  stop(): void;
}

/** A record of a request without an answer: it may exist, and no run owns it. */
interface OrphanedRecord extends RecordRef {
  /** Monotonic ms after which it is not made any more. */
  readonly notAfter: number;
  readonly leaseMs: number;
}

/** Pauses while the backend does not answer, in ms: the first one, and the longest. */
const RETRY_MS = { first: 50, longest: 5_000 };

/** The dependencies of runs under idempotency keys, and the runs in flight. */
export class RecordEngine {
  readonly #runs = new Set<ActiveRun>();
  /** What ends the pauses of those that abandon a record. */
  readonly #pauses = new Set<WakeableSleep>();
  #process: string | undefined;
  #owners = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(
    readonly backend: Backend,
    readonly records: RecordDriver,
    readonly clock: Clock,
    readonly events: EventHub,
  ) {}

  /** A new id for the owner of a record, unique across processes. */
  newOwner(): string {
    this.#process ??= randomUuid(this.clock);
    this.#owners += 1;
    return `${this.#process}:${this.#owners}`;
  }

  /** Runs in flight. */
  get size(): number {
    return this.#runs.size;
  }

  /** @throws LockClosedError */
  assertOpen(resource: string): void {
    if (this.#isClosed) throw new LockClosedError(resource);
  }

  onRunStarted(run: ActiveRun): void {
    this.#runs.add(run);
  }

  onRunEnded(run: ActiveRun): void {
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.#onIdle?.();
  }

  /**
   * Removes in the background what a request without an answer may have made, or may yet make:
   * until a record was removed, or there was none when none could come any more, or its lease has
   * ended.
   */
  abandonInBackground(record: OrphanedRecord): void {
    const pause = new WakeableSleep(this.clock);
    this.#pauses.add(pause);
    void this.#abandonUntilRemoved(record, pause).finally(() => this.#pauses.delete(pause));
  }

  /**
   * Begins no new run and waits for the running ones, up to `graceMs`; the rest end with their
   * leases.
   */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    if (this.#runs.size > 0 && graceMs > 0)
      await atMost(this.clock, graceMs, new Promise<void>((done) => (this.#onIdle = done)));
    for (const run of this.#runs) run.stop();
    for (const pause of this.#pauses) pause.wake();
  }

  async #abandonUntilRemoved(
    { notAfter, leaseMs, ...ref }: OrphanedRecord,
    pause: WakeableSleep,
  ): Promise<void> {
    const { clock, records } = this;
    const retries = new Backoff(RETRY_MS.first, RETRY_MS.longest);
    // A sleep that was woken does not begin again.
    while (!pause.isWoken && clock.now() < notAfter + leaseMs) {
      const sentAt = clock.now();
      const isRemoved = await records.abandon(ref).catch(() => undefined);
      if (isRemoved === true || (isRemoved === false && sentAt > notAfter)) return;
      await pause.sleep(isRemoved === false ? notAfter - clock.now() + 1 : retries.take());
    }
  }
}
