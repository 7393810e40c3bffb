import type { Clock } from 'bedrock-lock';
import { systemClock, type Timer } from 'bedrock-lock/integration';
import { processorWaitMs } from './processor-wait.js';
import { StalledTime } from './stalled-time.js';

/** Interval of the probes, in ms. */
const PROBE_MS = 20;
/** A probe later than this, or so long a wait for a processor since the one before, in ms, is a stall. */
const STALL_MS = 5;

/** Detects when the event loop was not free: blocked, short of processor time, or stopped by a signal. */
export class EventLoopWatchdog {
  readonly #stalled = new StalledTime();
  readonly #clock: Clock;
  readonly #onStall: (stalledMs: number, endedAt: number) => void;
  /** For a processor, in ms so far. */
  readonly #waitedMs: () => number;
  #timer: Timer | undefined;
  #dueAt = Infinity;
  #waitedBeforeMs = 0;

  /**
   * @param onStall called after each stall, with the time of `clock` at which it was measured: the report may stall too
   * @param waitedMs for a processor, in ms so far. @default that of this thread, unless time is not that of the system
   */
  constructor(
    clock: Clock,
    onStall: (stalledMs: number, endedAt: number) => void = () => undefined,
    waitedMs = clock === systemClock ? processorWaitMs : () => 0,
  ) {
    this.#clock = clock;
    this.#onStall = onStall;
    this.#waitedMs = waitedMs;
    this.start();
  }

  start(): void {
    this.#probe(this.#clock.now());
  }

  /** Stops, but keeps its observations, including a stall that has just ended. */
  stop(): void {
    const now = this.#clock.now();
    const stalledMs = this.#stalledUntil(now);
    if (stalledMs > 0) this.#stalled.add(now, stalledMs);
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
    const stalledMs = this.#stalledUntil(now);
    const current = new StalledTime();
    if (stalledMs > 0) current.add(now, stalledMs);
    return current;
  }

  #probe(dueAt: number): void {
    this.#dueAt = dueAt;
    this.#waitedBeforeMs = this.#waitedMs();
    this.#timer = this.#clock.setTimer(() => this.#look(), dueAt - this.#clock.now());
  }

  #look(): void {
    const now = this.#clock.now();
    const stalledMs = this.#stalledUntil(now);
    // The next probe counts from before the report, which may take time itself.
    this.#probe(now + PROBE_MS);
    if (stalledMs === 0) return;
    this.#stalled.add(now, stalledMs);
    this.#onStall(stalledMs, now);
  }

  /** Since the last probe. A wait that was over before the next was due has not made it late. */
  #stalledUntil(now: number): number {
    if (this.#dueAt === Infinity) return 0;
    const stalledMs = Math.max(now - this.#dueAt, this.#waitedMs() - this.#waitedBeforeMs);
    return stalledMs > STALL_MS ? stalledMs : 0;
  }
}
