import { systemClock, type Bedrock, type Clock, type Lease, type Unsubscribe } from 'bedrock-lock';
import type { HistoryEvent, Share } from './history-event.js';

/** An event as its teller gives it: the recorder adds when and who. */
type Told = HistoryEvent extends infer E
  ? E extends HistoryEvent
    ? Omit<E, 'at' | 'process'>
    : never
  : never;

/** The loop is looked at this often; lateness beyond what timers have anyway is a stall, in ms. */
const PROBE_MS = 20;
const LATE_MS = 5;

/** Writes down what a process does with its locks, at the time of CLOCK_MONOTONIC. */
export class HistoryRecorder {
  readonly #offset: number;
  #calls = 0;

  constructor(
    readonly process: string,
    private readonly write: (event: HistoryEvent) => void,
    private readonly clock: Clock = systemClock,
  ) {
    this.#offset = offsetOf(clock);
  }

  tell(told: Told): void {
    this.write({ at: sharedNow(), process: this.process, ...told });
  }

  /** A time of the local clock (`lease.validUntil`) as all processes of the machine read it. */
  toShared(localMs: number): number {
    return localMs + this.#offset;
  }

  /**
   * Acquires by `ask`, and tells how that went; undefined when it failed with an error of the lock.
   * @param share the permits that are asked for, of a semaphore
   */
  async acquire(
    resource: string,
    waitMs: number,
    ask: () => Promise<Lease>,
    share?: Share,
  ): Promise<Lease | undefined> {
    const call = `${this.process}#${++this.#calls}`;
    const deadline = sharedNow() + waitMs;
    this.tell({ kind: 'asked', resource, call, ...(waitMs < Infinity && { deadline }) });
    try {
      const lease = await ask();
      const { id, token } = lease;
      const validUntil = this.toShared(lease.validUntil);
      this.tell({
        kind: 'acquired',
        resource,
        call,
        lease: id,
        token,
        validUntil,
        ...(share !== undefined && { share }),
      });
      return lease;
    } catch (error) {
      const { code = 'NO_CODE' } = error as { code?: string };
      this.tell({ kind: 'failed', resource, call, code });
      return undefined;
    }
  }

  see(lease: Lease): boolean {
    const { id, resource } = lease;
    const at = sharedNow();
    const { isHeld } = lease;
    this.write({ at, process: this.process, kind: 'seen', resource, lease: id, isHeld });
    return isHeld;
  }

  async release(lease: Lease): Promise<void> {
    const { id, resource } = lease;
    this.tell({ kind: 'releasing', resource, lease: id });
    const outcome = await lease.release();
    this.tell({ kind: 'released', resource, lease: id, outcome });
  }

  /** Tells renewals and losses of all leases, and when the event loop was not free. */
  follow(bedrock: Bedrock): Unsubscribe {
    const { clock } = this;
    const stops = [
      bedrock.on('lease.renewed', ({ resource, leaseId: lease, remainingMs }) => {
        // After a stall it may have ended before it is told.
        if (remainingMs <= 0) return;
        const validUntil = sharedNow() + remainingMs;
        this.tell({ kind: 'renewed', resource, lease, validUntil });
      }),
      bedrock.on('lease.lost', ({ resource, leaseId: lease, reason }) =>
        this.tell({ kind: 'lost', resource, lease, reason }),
      ),
    ];
    let timer = clock.setTimer(() => probe(clock.now() + PROBE_MS), 0);
    const probe = (dueAt: number): void => {
      timer = clock.setTimer(() => {
        const now = clock.now();
        const lateMs = now - dueAt;
        if (lateMs > LATE_MS) this.tell({ kind: 'stalled', resource: '', lateMs });
        // From before the telling, which may be late itself.
        probe(now + PROBE_MS);
      }, dueAt - clock.now());
    };
    return () => {
      clock.clearTimer(timer);
      for (const stop of stops) stop();
    };
  }
}

/** The clock that all processes of one machine share, ms. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

// The least of some samples is the one that was not interrupted between its two readings.
function offsetOf(clock: Clock): number {
  return Math.min(
    ...Array.from({ length: 50 }, () => {
      const local = clock.now();
      return sharedNow() - local;
    }),
  );
}
