/** The system-wide monotonic clock (CLOCK_MONOTONIC), in ns: comparable between the processes of one machine. */
export function monotonicNs(): number {
  return Number(process.hrtime.bigint());
}

/**
 * Records of one process: when each critical section was entered and left. It knows nothing of locks, and costs two
 * clock readings per section.
 */
export class SectionLog {
  #times: Float64Array;
  #count = 0;

  constructor(expected = 1_024) {
    this.#times = new Float64Array(2 * expected);
  }

  /** Call this first in the section; returns the number to leave with. */
  enter(): number {
    if (2 * this.#count === this.#times.length) this.#grow();
    const section = this.#count++;
    this.#times[2 * section] = monotonicNs();
    // A section without an exit lasts for ever.
    this.#times[2 * section + 1] = Infinity;
    return section;
  }

  /** Call this last in the section. */
  leave(section: number): void {
    this.#times[2 * section + 1] = monotonicNs();
  }

  enteredAt(section: number): number {
    return this.#times[2 * section]!;
  }

  /** [enter, leave, enter, leave, …] in ns, in order of entry. */
  get times(): Float64Array {
    return this.#times.slice(0, 2 * this.#count);
  }

  #grow(): void {
    const times = new Float64Array(2 * this.#times.length + 2);
    times.set(this.#times);
    this.#times = times;
  }
}
