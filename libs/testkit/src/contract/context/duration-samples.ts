import type { Liveness, Timing } from '../../liveness/liveness.js';

/** Runs of a promise, at most. */
const MOST_RUNS = 3;
/** Samples that decide the median of three. */
const AGREEING = 2;

interface Samples {
  readonly what: string;
  readonly boundMs: number;
  readonly timings: Timing[];
}

/**
 * The durations that a promise bounds: a single one says more about the machine than about the code, so the median of three runs
 * counts. The third is left out where the first two agree, since it could not change the median's verdict. This excuses nothing
 * else: every other check must hold in each run.
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

  /** Fewer than two samples agree. */
  #isOpen({ boundMs, timings }: Samples): boolean {
    const late = timings.filter((timing) => this.liveness.isLate(boundMs, [timing])).length;
    return Math.max(late, timings.length - late) < AGREEING;
  }

  /** @throws AssertionError for a median beyond its bound */
  assertMedians(): void {
    for (const { what, boundMs, timings } of this.#samples.values())
      this.liveness.assertMedian(what, boundMs, timings);
  }
}
