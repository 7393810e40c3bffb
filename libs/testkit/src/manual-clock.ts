import { AsyncLocalStorage } from 'node:async_hooks';
import { MAX_TIMER_MS, type Clock, type Timer } from 'bedrock-lock';

const systemSetImmediate = globalThis.setImmediate;
/** As with the system's clock, a timer does not run in the context of whoever set it, nor of whoever lets time pass. */
const outsideOfCallers = AsyncLocalStorage.snapshot();

/** More timers than any test needs in one `advance()`: a timer that sets itself again without delay. */
const MOST_TIMERS = 100_000;

interface ManualTimer {
  readonly dueAt: number;
  readonly order: number;
  readonly callback: () => void;
}

export interface ManualClockOptions {
  /** Monotonic ms at the start. @default 1000 */
  readonly now?: number;
  /** Epoch ms at the start. @default 2026-01-01T00:00:00Z */
  readonly wall?: number;
  /** Seed of `random()` and `randomBytes()`. @default 1 */
  readonly seed?: number;
}

/**
 * Time that passes only when a test says so. Timers run in the order of their due times, and what they set in motion
 * runs to its end before time goes on, so a test of a minute takes a millisecond and always goes the same way. As in
 * Node, all timers that are due at one instant run before the poll phase that `afterPoll()` waits for.
 */
export class ManualClock implements Clock {
  #now: number;
  #wall: number;
  #state: number;
  #order = 0;
  readonly #timers = new Set<ManualTimer>();
  #afterPoll: (() => void)[] = [];

  constructor({ now = 1_000, wall = Date.UTC(2026, 0, 1), seed = 1 }: ManualClockOptions = {}) {
    this.#now = now;
    this.#wall = wall;
    this.#state = seed;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#wall;
  }

  /** Timers that have not fired and were not cleared. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** When the next timer is due; undefined when there is none. */
  get nextDueAt(): number | undefined {
    return this.#earliest(Infinity)?.dueAt;
  }

  setTimer(callback: () => void, ms: number): Timer {
    const dueAt = this.#now + Math.min(Math.max(ms, 0), MAX_TIMER_MS);
    const timer: ManualTimer = { dueAt, order: ++this.#order, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimer(timer: Timer): void {
    this.#timers.delete(timer as ManualTimer);
  }

  afterPoll(callback: () => void): void {
    this.#afterPoll.push(callback);
  }

  /** mulberry32: the same numbers for the same seed. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  randomBytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => Math.floor(this.random() * 256));
  }

  /** Lets `ms` pass: runs the timers that fall due, each with everything that follows from it. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await this.settle();
    let timer = this.#earliest(target);
    for (let ran = 0; timer !== undefined; ran += 1) {
      if (ran > MOST_TIMERS) throw new Error('a timer sets itself again without delay');
      this.#timers.delete(timer);
      this.block(Math.max(0, timer.dueAt - this.#now));
      outsideOfCallers(timer.callback);
      await turn();
      timer = this.#earliest(this.#now);
      if (timer !== undefined) continue;
      await this.settle();
      timer = this.#earliest(target);
    }
    this.block(Math.max(0, target - this.#now));
    await this.settle();
  }

  /** Runs what is already under way, without letting time pass: microtasks, then the callbacks of `afterPoll()`. */
  async settle(): Promise<void> {
    await turn();
    while (this.#afterPoll.length > 0) {
      for (const callback of this.#afterPoll.splice(0)) outsideOfCallers(callback);
      await turn();
    }
  }

  /** Time passes while nothing runs, as when the event loop is blocked: timers that fell due are late afterwards. */
  block(ms: number): void {
    this.#now += ms;
    this.#wall += ms;
  }

  /** The system sleeps, and its monotonic clock does not count that: only the wall clock goes on. */
  suspend(ms: number): void {
    this.#wall += ms;
  }

  #earliest(target: number): ManualTimer | undefined {
    let earliest: ManualTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt > target) continue;
      const isEarlier =
        earliest === undefined ||
        timer.dueAt < earliest.dueAt ||
        (timer.dueAt === earliest.dueAt && timer.order < earliest.order);
      if (isEarlier) earliest = timer;
    }
    return earliest;
  }
}

// One turn of the real event loop: every microtask has run by then.
function turn(): Promise<void> {
  return new Promise((resolve) => systemSetImmediate(resolve));
}
