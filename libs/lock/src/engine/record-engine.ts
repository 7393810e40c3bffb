import { atMost, randomUuid, type Clock } from '../core/clock.js';
import { LockClosedError } from '../core/errors.js';
import type { EventHub } from '../core/events.js';
import type { Backend, RecordDriver } from '../core/ports.js';

/** A run under way. */
interface Underway {
  /** Lets its lease end. */
  stop(): void;
}

/** What runs under idempotency keys stand on, and those that are under way. */
export class RecordEngine {
  readonly #runs = new Set<Underway>();
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

  /** Names whoever begins; nobody else has the name, in any process. */
  newOwner(): string {
    this.#process ??= randomUuid(this.clock);
    this.#owners += 1;
    return `${this.#process}:${this.#owners}`;
  }

  /** Runs under way. */
  get size(): number {
    return this.#runs.size;
  }

  /** @throws LockClosedError */
  assertOpen(resource: string): void {
    if (this.#isClosed) throw new LockClosedError(resource);
  }

  entered(run: Underway): void {
    this.#runs.add(run);
  }

  left(run: Underway): void {
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.#onIdle?.();
  }

  /** Begins nothing any more and waits for what runs, up to `graceMs`; the rest ends with its lease. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    if (this.#runs.size > 0 && graceMs > 0)
      await atMost(this.clock, graceMs, new Promise<void>((done) => (this.#onIdle = done)));
    for (const run of this.#runs) run.stop();
  }
}
