import { atMost, randomUuid, type Clock } from '../../core/clock.js';
import { LockClosedError } from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import type { Backend, RecordDriver } from '../../core/ports/ports.js';
import type { RecordRef } from '../../core/ports/records.js';
import { RequestObserver } from '../../core/ports/request-observer.js';
import { UntilConfirmed } from '../../runtime/until-confirmed.js';

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
  readonly #abandoning: UntilConfirmed;
  #process: string | undefined;
  #owners = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  readonly records: RecordDriver;

  constructor(
    readonly backend: Backend,
    records: RecordDriver,
    readonly clock: Clock,
    readonly events: EventHub,
  ) {
    this.records = observed(records, new RequestObserver(clock, events));
    this.#abandoning = new UntilConfirmed(clock, RETRY_MS);
  }

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
  abandonInBackground({ notAfter, leaseMs, ...ref }: OrphanedRecord): void {
    const { clock, records } = this;
    void this.#abandoning.repeat({
      // After the end of its lease there is nothing left to remove.
      send: async () => clock.now() >= notAfter + leaseMs || records.abandon(ref),
      repeatAt: (isRemoved, sentAt) => (isRemoved || sentAt > notAfter ? undefined : notAfter + 1),
      mayRepeat: () => true,
    });
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
  }

  /** Sends nothing more, since the backend closes next. */
  stop(): void {
    this.#abandoning.stop();
  }
}

/** A driver whose requests are published. */
function observed(records: RecordDriver, requests: RequestObserver): RecordDriver {
  return {
    begin: (start) => requests.observe('begin', start, records.begin(start)),
    renew: (ref, leaseMs) => requests.observe('renew', ref, records.renew(ref, leaseMs)),
    complete: (ref, value, keepMs) => requests.observe('complete', ref, records.complete(ref, value, keepMs)),
    abandon: (ref) => requests.observe('abandon', ref, records.abandon(ref)),
    read: (resource) => requests.observe('read', { resource }, records.read(resource)),
    remove: (resource) => requests.observe('forget', { resource }, records.remove(resource)),
  };
}
