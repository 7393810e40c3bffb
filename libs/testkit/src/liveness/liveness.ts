import { AssertionError } from 'node:assert/strict';
import { sleep, systemClock, type Clock } from 'bedrock-lock';
import { EventLoopWatchdog } from './event-loop-watchdog.js';
import { median } from './median.js';

/** The stalls of this process stretch a bound to so many times itself at most. */
const MOST_STRETCH = 4;
/** Pause between two looks at a condition, ms. */
const POLL_EVERY_MS = 5;
const EVENTUALLY_MS = 5_000;

/** Something that took from `from` to `to`, ms of the clock. */
export interface Timing {
  readonly from: number;
  readonly to: number;
}

/**
 * Checks how long things take. A watchdog sees when this process was stalled, and that time stretches a bound, to four times
 * itself at most: beyond, the machine is too slow to check. Each stretch that was needed is printed. Nothing here is for
 * exclusion, the order of tokens and "not before the lease has ended", which no slowness excuses.
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

  /** What `act` gives. @throws AssertionError when that took longer than `boundMs`, stalls apart */
  async within<T>(what: string, boundMs: number, act: () => Promise<T>): Promise<T> {
    let result: T;
    const timing = await this.time(async () => (result = await act()));
    this.assertMedian(what, boundMs, [timing]);
    return result!;
  }

  /** The time that `act` takes, for {@link assertMedian}. */
  async time(act: () => Promise<unknown>): Promise<Timing> {
    return this.#watch(async () => {
      const from = this.#clock.now();
      await act();
      return { from, to: this.#clock.now() };
    });
  }

  /** Checks the median: one sample says more about the machine than about the code. @throws AssertionError as {@link within} */
  assertMedian(what: string, boundMs: number, timings: readonly Timing[]): void {
    const tookMs = median(timings.map(({ from, to }) => to - from));
    if (tookMs <= boundMs) return;
    const stalledMs = median(timings.map(({ from, to }) => this.#watchdog.stalledWithin(from, to)));
    const stretch = 1 + stalledMs / boundMs;
    const facts = `${what} took ${tookMs.toFixed(1)} ms, bound ${boundMs} ms, stretched ${stretch.toFixed(2)} times by stalls`;
    if (stretch > MOST_STRETCH) fail(`machine too slow to judge: ${facts}`);
    if (tookMs > boundMs * stretch) fail(`too late: ${facts}`);
    this.#print(`liveness: ${facts}`);
  }

  /** Looks again and again until the condition holds. @throws AssertionError naming `what`; what the condition throws */
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

  /** The watchdog runs only while something is timed: an idle checker costs a test process nothing. */
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
