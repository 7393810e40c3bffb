/** The monotonic clock that all processes of a machine share (CLOCK_MONOTONIC), in ms. */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** One turn under the lock: when it was requested, entered and left, in shared ms, and by which task. */
export interface Section {
  readonly asked: number;
  readonly entered: number;
  readonly left: number;
  readonly task: number;
}

const FIELDS = 4;

/** Records of one process. It knows nothing of locks, and costs three clock readings per turn. */
export class SectionLog {
  #numbers = new Float64Array(FIELDS * 4_096);
  #count = 0;

  add(asked: number, entered: number, left: number, task: number): void {
    const at = FIELDS * this.#count++;
    if (at === this.#numbers.length) this.#grow();
    this.#numbers[at] = asked;
    this.#numbers[at + 1] = entered;
    this.#numbers[at + 2] = left;
    this.#numbers[at + 3] = task;
  }

  /** All sections in one array, to be sent to the bench. */
  pack(): Float64Array {
    return this.#numbers.slice(0, FIELDS * this.#count);
  }

  #grow(): void {
    const numbers = new Float64Array(2 * this.#numbers.length);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

/** The reverse of `pack()`. */
export function unpackSections(numbers: Float64Array): Section[] {
  return Array.from({ length: numbers.length / FIELDS }, (_, i) => {
    const [asked, entered, left, task] = numbers.subarray(FIELDS * i, FIELDS * (i + 1));
    return { asked: asked!, entered: entered!, left: left!, task: task! };
  });
}

/** Sections that began before an earlier one had ended; a correct lock has 0. */
export function countOverlaps(sections: readonly Section[]): number {
  const sorted = [...sections].sort((one, other) => one.entered - other.entered);
  let overlaps = 0;
  let latestEnd = -Infinity;
  for (const { entered, left } of sorted) {
    if (entered < latestEnd) overlaps += 1;
    latestEnd = Math.max(latestEnd, left);
  }
  return overlaps;
}

/** Writes (task below 0) that overlapped another section, and reads that began during a write; a correct lock has 0. */
export function countConflicts(sections: readonly Section[]): number {
  const sorted = [...sections].sort((one, other) => one.entered - other.entered);
  let conflicts = 0;
  let writesEnd = -Infinity;
  let allEnd = -Infinity;
  for (const { entered, left, task } of sorted) {
    if (entered < (task < 0 ? allEnd : writesEnd)) conflicts += 1;
    if (task < 0) writesEnd = Math.max(writesEnd, left);
    allEnd = Math.max(allEnd, left);
  }
  return conflicts;
}
