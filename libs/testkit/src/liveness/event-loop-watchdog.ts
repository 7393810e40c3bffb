import type { Clock } from 'bedrock-lock';
import type { Timer } from 'bedrock-lock/integration';
import { StalledTime } from './stalled-time.js';

/** Interval of the probes, in ms; lateness beyond that of normal timers is a stall. */
const PROBE_MS = 20;
const LATE_MS = 5;

/** Detects when the event loop was not free: blocked, short of processor time, or stopped by a signal. */
export class EventLoopWatchdog {
  readonly #stalled = new StalledTime();
  readonly #clock: Clock;
  readonly #onStall: (lateMs: number) => void;
  #timer: Timer | undefined;
  #dueAt = Infinity;

  constructor(clock: Clock, onStall: (lateMs: number) => void = () => undefined) {
    this.#clock = clock;
    this.#onStall = onStall;
    this.start();
  }

  start(): void {
    this.#probe(this.#clock.now());
  }

  /** Stops, but keeps its observations, including a stall that has just ended. */
  stop(): void {
    const now = this.#clock.now();
    const lateMs = now - this.#dueAt;
    if (lateMs > LATE_MS) this.#stalled.add(now, lateMs);
    this.#dueAt = Infinity;
    this.#clock.clearTimer(this.#timer!);
  }

  /** How much of [from, to] was stalled, in ms, including a stall that still lasts. */
  stalledWithin(from: number, to: number): number {
    return this.#stalled.within(from, to) + this.#currentStall().within(from, to);
  }

  /** The longest stall in [from, to], in ms, including one that still lasts. */
  longestStallWithin(from: number, to: number): number {
    return Math.max(this.#stalled.longestWithin(from, to), this.#currentStall().longestWithin(from, to));
  }

  #currentStall(): StalledTime {
    const now = this.#clock.now();
    const lateMs = now - this.#dueAt;
    const current = new StalledTime();
    if (lateMs > LATE_MS) current.add(now, lateMs);
    return current;
  }

  #probe(dueAt: number): void {
    this.#dueAt = dueAt;
    this.#timer = this.#clock.setTimer(() => this.#look(), dueAt - this.#clock.now());
  }

  #look(): void {
    const now = this.#clock.now();
    const lateMs = now - this.#dueAt;
    // The next probe counts from before the report, which may take time itself.
    this.#probe(now + PROBE_MS);
    if (lateMs <= LATE_MS) return;
    this.#stalled.add(now, lateMs);
    this.#onStall(lateMs);
  }
}
