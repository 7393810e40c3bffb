import { AssertionError } from 'node:assert/strict';
import { checkFields, checkTime, checkWhole } from '../core/checks.js';
import { InvalidOptionError } from '../core/errors.js';
import type { RecordedHold, Recording } from './records.js';

/** Upper bounds of the waits for a lock. */
export interface ExpectedWaits {
  /** Of the median, in ms. */
  readonly p50Ms?: number;
  /** Of the 95th percentile, in ms. */
  readonly p95Ms?: number;
  /** Of the 99th percentile, in ms. */
  readonly p99Ms?: number;
  /** Of the longest wait, in ms. */
  readonly maxMs?: number;
}

/** Facts about the holds of a lock. */
export interface ExpectedHolds {
  /** How often it was held. @default at least once */
  readonly times?: number;
  /** How long the longest hold lasted at most, in ms. */
  readonly maxHeldMs?: number;
}

interface Failure {
  readonly operator: string;
  readonly message: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

const PERCENTILES: Readonly<Record<keyof ExpectedWaits, number>> = {
  p50Ms: 50,
  p95Ms: 95,
  p99Ms: 99,
  maxMs: 100,
};
const BOUNDS = Object.keys(PERCENTILES) as readonly (keyof ExpectedWaits)[];
const WAIT_FIELDS: ReadonlySet<string> = new Set(BOUNDS);
const HOLD_FIELDS: ReadonlySet<string> = new Set<keyof ExpectedHolds>(['times', 'maxHeldMs']);
/** A message lists so many holds. */
const MAX_SHOWN = 20;

/**
 * Asserts how one lock was used. Each method throws an `AssertionError` of `node:assert` with the expected
 * and the seen facts, so it works in every test runner.
 */
export class LockExpectation {
  readonly #recording: Recording;
  readonly #lock: string;

  /** @internal Expectations come from `expectLock()`. */
  constructor(recording: Recording, lock: string) {
    this.#recording = recording;
    this.#lock = lock;
  }

  /**
   * A caller with this label has held the lock: a decorated method of Nest, as `Orders.place()`, or what
   * `LockRecorder.as()` was given.
   * @throws AssertionError
   */
  toHaveBeenHeldBy(label: string): void {
    const holds = this.#holds();
    if (holds.some((hold) => hold.label === label)) return;
    this.#fail({
      operator: 'toHaveBeenHeldBy',
      message: `to have been held by "${label}"; ${this.#seen(holds)}`,
      actual: holds.map((hold) => hold.label),
      expected: label,
    });
  }

  /**
   * The lock was held: once at least, or so many times, each time no longer than `maxHeldMs`.
   * @throws AssertionError; InvalidOptionError for a bad number
   */
  toHaveBeenHeld(expected: ExpectedHolds = {}): void {
    checkFields('expected', expected, HOLD_FIELDS);
    const { times, maxHeldMs = Infinity } = expected;
    if (times !== undefined) checkWhole('times', times, 0, Number.MAX_SAFE_INTEGER);
    checkTime('maxHeldMs', maxHeldMs, 0);
    const holds = this.#holds();
    if (times === undefined ? holds.length === 0 : holds.length !== times) {
      const wanted = times === undefined ? 'at least once' : timesOf(times);
      const message = `to have been held ${wanted}; ${this.#seen(holds)}`;
      this.#fail({ operator: 'toHaveBeenHeld', message, actual: holds.length, expected: times ?? 1 });
    }
    const longest = holds.reduce((most, { heldMs }) => Math.max(most, heldMs), 0);
    if (longest <= maxHeldMs) return;
    const late = holds.filter(({ heldMs }) => heldMs > maxHeldMs);
    const seen = listOf(late.map((hold) => `${shown(hold)} for ${msOf(hold.heldMs)}`));
    this.#fail({
      operator: 'toHaveBeenHeld',
      message: `to have been held for at most ${msOf(maxHeldMs)} each time; it was held ${seen}`,
      actual: longest,
      expected: maxHeldMs,
    });
  }

  /**
   * Callers waited no longer than these bounds. Percentiles follow the nearest rank: the p99 of 200 waits is
   * the 198th in ascending order, and that of fewer than 100 waits is the longest. A caller that still waits
   * counts with its wait so far.
   * @throws AssertionError, also if no caller waited; InvalidOptionError for a bad bound, or none
   */
  toHaveWaited(bounds: ExpectedWaits): void {
    checkFields('bounds', bounds, WAIT_FIELDS);
    const given = BOUNDS.filter((name) => bounds[name] !== undefined);
    if (given.length === 0)
      throw new InvalidOptionError('bounds', `an object with at least one of ${BOUNDS.join(', ')}`, bounds);
    for (const name of given) checkTime(name, bounds[name], 0);
    const waits = this.#recording.waits(this.#lock).map(({ waitedMs }) => waitedMs);
    waits.sort((one, other) => one - other);
    for (const name of given) {
      const boundMs = bounds[name]!;
      const seenMs = nearestRank(waits, PERCENTILES[name]);
      if (seenMs !== undefined && seenMs <= boundMs) continue;
      const what = name === 'maxMs' ? 'longest wait' : `${name.slice(0, -'Ms'.length)} of its waits`;
      const seen =
        seenMs === undefined
          ? `no wait was recorded${this.#others()}`
          : `it was ${msOf(seenMs)}, of ${waits.length} waits`;
      const message = `to have a ${what} of at most ${msOf(boundMs)}; ${seen}`;
      this.#fail({ operator: 'toHaveWaited', message, actual: seenMs, expected: boundMs });
    }
  }

  /**
   * The lock was held exactly in this order of grants. Each entry is the key of a hold (its parts with colons)
   * or the label of its caller.
   * @throws AssertionError
   */
  toHaveBeenHeldInOrder(order: readonly string[]): void {
    const holds = this.#holds();
    const isEqual =
      holds.length === order.length &&
      holds.every(({ key, label }, i) => order[i] === label || (key !== '' && order[i] === key));
    if (isEqual) return;
    this.#fail({
      operator: 'toHaveBeenHeldInOrder',
      message: `to have been held in the order ${listOf(order.map(quoted))}; ${this.#seen(holds)}`,
      actual: holds.map(shown),
      expected: order,
    });
  }

  #holds(): readonly RecordedHold[] {
    return this.#recording.holds(this.#lock);
  }

  #seen(holds: readonly RecordedHold[]): string {
    if (holds.length === 0) return `it was never held${this.#others()}`;
    return `it was held ${timesOf(holds.length)}: ${listOf(holds.map(shown))}`;
  }

  /** Names that the test may have meant. */
  #others(): string {
    const others = this.#recording.locks.filter((name) => name !== this.#lock);
    return others.length === 0 ? '' : ` (other locks of this recording: ${listOf(others.map(quoted))})`;
  }

  #fail({ operator, message, actual, expected }: Failure): never {
    const text = `expected the lock "${this.#lock}" ${message}`;
    throw new AssertionError({ message: text, actual, expected, operator });
  }
}

/** The smallest value that p % of all do not exceed; undefined without values. @param sorted ascending */
function nearestRank(sorted: readonly number[], p: number): number | undefined {
  return sorted[Math.ceil((p * sorted.length) / 100) - 1];
}

/** A hold in a message: `on "o-1" by "Orders.place()"`. */
function shown({ key, label }: RecordedHold): string {
  const where = key === '' ? 'as a whole' : `on ${quoted(key)}`;
  return label === undefined ? where : `${where} by ${quoted(label)}`;
}

function quoted(text: string): string {
  return `"${text}"`;
}

function listOf(entries: readonly string[]): string {
  const list = entries.slice(0, MAX_SHOWN).join(', ');
  return entries.length > MAX_SHOWN ? `${list} and ${entries.length - MAX_SHOWN} more` : list;
}

function timesOf(count: number): string {
  if (count === 0) return 'never';
  return count === 1 ? 'once' : `${count} times`;
}

function msOf(ms: number): string {
  return `${Math.round(ms * 100) / 100} ms`;
}
