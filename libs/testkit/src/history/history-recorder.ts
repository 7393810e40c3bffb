import type { Bedrock, Clock, Lease } from 'bedrock-lock';
import type { Unsubscribe } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import { EventLoopWatchdog } from '../liveness/event-loop-watchdog.js';
import type { HistoryEvent, Share } from './history-event.js';

/** An event without time and process, which the recorder adds. */
export type EventToRecord = HistoryEvent extends infer E
  ? E extends HistoryEvent
    ? Omit<E, 'at' | 'process'>
    : never
  : never;

/** Waiting code in a process checks the clock at least this often, in ms. */
const CLOCK_CHECK_MS = 1_000;

/** Records what a process does with its locks, with times of CLOCK_MONOTONIC. */
export class HistoryRecorder {
  #offset: number;
  #calls = 0;

  constructor(
    readonly process: string,
    private readonly write: (event: HistoryEvent) => void,
    private readonly clock: Clock = systemClock,
  ) {
    this.#offset = clock === systemClock ? offsetOf(clock) : 0;
  }

  record(event: EventToRecord): void {
    this.write({ at: this.#now(), process: this.process, ...event });
  }

  /** Converts a time of the local clock (`lease.validUntil`) to the time that all processes of the machine share. */
  toShared(localMs: number): number {
    return localMs + this.#offset;
  }

  /**
   * Acquires by `ask`, and records the outcome; undefined if it failed with a lock error.
   * @param share the requested permits of a semaphore
   */
  async acquire(
    resource: string,
    waitMs: number,
    acquire: () => Promise<Lease>,
    share?: Share,
  ): Promise<Lease | undefined> {
    const call = `${this.process}#${++this.#calls}`;
    const at = this.#now();
    const deadline = waitMs < Infinity ? { deadline: at + waitMs } : {};
    const answer = called(acquire);
    // After the call: a write blocks while its reader stands still, and the time to wait has begun.
    this.write({ at, process: this.process, kind: 'asked', resource, call, ...deadline });
    try {
      const lease = await answer;
      const { id, token } = lease;
      const validUntil = this.toShared(lease.validUntil);
      this.record({
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
      this.record({ kind: 'failed', resource, call, code });
      return undefined;
    }
  }

  /**
   * The machine has slept, and the local clock has not counted it. Waiting code checks the clock once a second; until
   * then, it still behaves as if asleep.
   */
  recordSleep(ms: number): void {
    this.#offset = offsetOf(this.clock);
    const at = this.#now() + CLOCK_CHECK_MS;
    this.write({ at, process: this.process, kind: 'stalled', resource: '', lateMs: ms + CLOCK_CHECK_MS });
  }

  observe(lease: Lease): boolean {
    const { id, resource } = lease;
    const at = this.#now();
    const { isHeld } = lease;
    this.write({ at, process: this.process, kind: 'seen', resource, lease: id, isHeld });
    return isHeld;
  }

  #now(): number {
    return historyNow(this.clock);
  }

  async release(lease: Lease): Promise<void> {
    const { id, resource } = lease;
    this.record({ kind: 'releasing', resource, lease: id });
    const outcome = await lease.release();
    this.record({ kind: 'released', resource, lease: id, outcome });
  }

  /** Records renewals and losses of all leases, and stalls of the event loop. */
  follow(bedrock: Bedrock): Unsubscribe {
    const { clock } = this;
    const stops = [
      bedrock.on('lease.renewed', ({ resource, leaseId: lease, remainingMs }) => {
        // After a stall, the lease may have ended before the event is handled.
        if (remainingMs <= 0) return;
        const validUntil = this.#now() + remainingMs;
        this.record({ kind: 'renewed', resource, lease, validUntil });
      }),
      bedrock.on('lease.lost', ({ resource, leaseId: lease, reason }) =>
        this.record({ kind: 'lost', resource, lease, reason }),
      ),
    ];
    const watchdog = new EventLoopWatchdog(clock, (lateMs, endedAt) => {
      const at = this.toShared(endedAt);
      this.write({ at, process: this.process, kind: 'stalled', resource: '', lateMs });
    });
    return () => {
      watchdog.stop();
      for (const stop of stops) stop();
    };
  }
}

/** What it throws at once is an answer too. */
async function called<T>(act: () => Promise<T>): Promise<T> {
  return act();
}

/** Events at one instant of a manual clock still have an order; in ms. */
const SAME_INSTANT_STEP_MS = 1e-6;
let [lastAt, sameInstant] = [0, 0];

/** The clock that all processes of one machine share, in ms. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The present time in histories: {@link sharedNow} for the system clock, otherwise the time of the clock itself. */
export function historyNow(clock: Clock): number {
  if (clock === systemClock) return sharedNow();
  const at = clock.now();
  sameInstant = at === lastAt ? sameInstant + 1 : 0;
  lastAt = at;
  return at + sameInstant * SAME_INSTANT_STEP_MS;
}

// The smallest sample is the one without an interruption between its two readings.
function offsetOf(clock: Clock): number {
  return Math.min(
    ...Array.from({ length: 50 }, () => {
      const local = clock.now();
      return historyNow(clock) - local;
    }),
  );
}
