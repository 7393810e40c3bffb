import type { Liveness, Timing } from '../../liveness/liveness.js';

/** Runs of a promise, at most. */
const MOST_RUNS = 3;

interface Samples {
  readonly what: string;
  readonly boundMs: number;
  readonly timings: Timing[];
}

/**
 * The durations that a promise bounds. One in time shows that nothing waits for the sweep or for the end of a lease; one that is
 * late may be the fault of the machine. So the promise is run again after a late one, up to three times, and the median of
 * each duration counts. This forgives nothing else: every other check must hold in each run.
 */
export class DurationSamples {
  readonly #samples = new Map<string, Samples>();
  #runs = 0;
  /** How often each duration was taken in this run. */
  #taken = new Map<string, number>();

  constructor(private readonly liveness: Liveness) {}

  /** True until each duration has a verdict. */
  get needsRun(): boolean {
    return (
      this.#runs === 0 ||
      (this.#runs < MOST_RUNS && [...this.#samples.values()].some((one) => this.#isOpen(one)))
    );
  }

  beginRun(): void {
    this.#runs += 1;
    this.#taken = new Map();
  }

  /** The result of `act`, whose duration is a sample. */
  async take<T>(what: string, boundMs: number, act: () => Promise<T>): Promise<T> {
    let result: T;
    const timing = await this.liveness.time(async () => (result = await act()));
    const number = (this.#taken.get(what) ?? 0) + 1;
    this.#taken.set(what, number);
    const key = `${what} ${number}`;
    const samples = this.#samples.get(key) ?? { what, boundMs, timings: [] };
    samples.timings.push(timing);
    this.#samples.set(key, samples);
    return result!;
  }

  /** Samples that do not agree, or a single late one. */
  #isOpen({ boundMs, timings }: Samples): boolean {
    const late = timings.filter((timing) => this.liveness.isLate(boundMs, [timing])).length;
    return late > 0 && late < 2 && timings.length - late < 2;
  }

  /** @throws AssertionError for a median beyond its bound */
  assertMedians(): void {
    for (const { what, boundMs, timings } of this.#samples.values())
      this.liveness.assertMedian(what, boundMs, timings);
  }
}
