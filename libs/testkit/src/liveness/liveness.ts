import { AssertionError } from 'node:assert/strict';
import type { Clock } from 'bedrock-lock';
import { sleep, systemClock } from 'bedrock-lock/integration';
import { EventLoopWatchdog } from './event-loop-watchdog.js';
import { median } from './median.js';

/** Stalls of this process stretch a bound at most to this multiple. */
const MOST_STRETCH = 4;
/** Pause between two checks of a condition, in ms. */
const POLL_EVERY_MS = 5;
const EVENTUALLY_MS = 5_000;

/** A duration from `from` to `to`, in ms of the clock. */
export interface Timing {
  readonly from: number;
  readonly to: number;
}

export interface WithinOptions {
  /** Part of the duration that has passed before the call, in ms. @default 0 */
  readonly elapsedMs?: number;
}

/**
 * Checks durations. A watchdog detects stalls of this process, and their time stretches a bound, at most to four times
 * its length: beyond that, the machine is too slow to check. Each stretch that was needed is printed.
 * Not for exclusion, token order or "not before the lease has ended": no slowness excuses those.
 */
export class Liveness {
  readonly #watchdog: EventLoopWatchdog;
  readonly #clock: Clock;
  readonly #print: (line: string) => void;
  #watched = 0;

  constructor(
    clock = systemClock,
    print: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
  ) {
    this.#clock = clock;
    this.#print = print;
    this.#watchdog = new EventLoopWatchdog(clock);
    this.#watchdog.stop();
  }

  /** The result of `act`. @throws AssertionError if it took longer than `boundMs`, apart from stalls */
  async within<T>(
    what: string,
    boundMs: number,
    act: () => Promise<T>,
    { elapsedMs = 0 }: WithinOptions = {},
  ): Promise<T> {
    let result: T;
    const { from, to } = await this.time(async () => (result = await act()));
    this.assertMedian(what, boundMs, [{ from: from - elapsedMs, to }]);
    return result!;
  }

  /** Where `act` fails, prints this process's longest stall meanwhile. That may explain a failure, and excuses none. */
  async explain<T>(what: string, act: () => Promise<T>): Promise<T> {
    return this.#watch(async () => {
      const from = this.#clock.now();
      try {
        return await act();
      } catch (error) {
        const to = this.#clock.now();
        const stalledMs = this.#watchdog.longestStallWithin(from, to);
        this.#print(
          `liveness: ${what} failed after ${(to - from).toFixed(0)} ms; longest stall of this process ${stalledMs.toFixed(0)} ms`,
        );
        throw error;
      }
    });
  }

  /** The duration of `act`, for {@link assertMedian}. */
  async time(act: () => Promise<unknown>): Promise<Timing> {
    return this.#watch(async () => {
      const from = this.#clock.now();
      await act();
      return { from, to: this.#clock.now() };
    });
  }

  /**
   * Checks the median: one sample says more about the machine than about the code.
   * @throws AssertionError as {@link within}
   */
  assertMedian(what: string, boundMs: number, timings: readonly Timing[]): void {
    const { tookMs, stretch } = this.#medianOf(timings, boundMs);
    if (tookMs <= boundMs) return;
    const facts = `${what} took ${tookMs.toFixed(1)} ms, bound ${boundMs} ms, stretched ${stretch.toFixed(2)} times by stalls`;
    if (stretch > MOST_STRETCH) fail(`machine too slow to judge: ${facts}`);
    if (tookMs > boundMs * stretch) fail(`too late: ${facts}`);
    this.#print(`liveness: ${facts}`);
  }

  /** True where {@link assertMedian} would throw. */
  isLate(boundMs: number, timings: readonly Timing[]): boolean {
    const { tookMs, stretch } = this.#medianOf(timings, boundMs);
    return tookMs > boundMs && (stretch > MOST_STRETCH || tookMs > boundMs * stretch);
  }

  #medianOf(
    timings: readonly Timing[],
    boundMs: number,
  ): { readonly tookMs: number; readonly stretch: number } {
    const stalledMs = median(timings.map(({ from, to }) => this.#watchdog.stalledWithin(from, to)));
    return { tookMs: median(timings.map(({ from, to }) => to - from)), stretch: 1 + stalledMs / boundMs };
  }

  /** Polls until the condition holds. @throws AssertionError naming `what`, or the condition's own error */
  async eventually(what: string, isSo: () => unknown, withinMs = EVENTUALLY_MS): Promise<void> {
    await this.#watch(() => this.#pollUntil(what, isSo, withinMs));
  }

  async #pollUntil(what: string, isSo: () => unknown, withinMs: number): Promise<void> {
    const from = this.#clock.now();
    while (!(await isSo())) {
      const tookMs = this.#clock.now() - from;
      if (!(tookMs <= withinMs)) {
        const stretch = 1 + this.#watchdog.stalledWithin(from, Infinity) / withinMs;
        const facts = `not within ${withinMs} ms: ${what} (stretched ${stretch.toFixed(2)} times by stalls)`;
        if (stretch > MOST_STRETCH) fail(`machine too slow to judge: ${facts}`);
        if (!(tookMs <= withinMs * stretch)) fail(facts);
      }
      await sleep(this.#clock, POLL_EVERY_MS);
    }
  }

  /** The watchdog runs only during a measurement: an idle checker costs a test process nothing. */
  async #watch<T>(act: () => Promise<T>): Promise<T> {
    if (this.#watched++ === 0) this.#watchdog.start();
    try {
      return await act();
    } finally {
      if (--this.#watched === 0) this.#watchdog.stop();
    }
  }
}

function fail(message: string): never {
  throw new AssertionError({ message });
}
