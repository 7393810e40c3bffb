import type { Counter } from '../../../../core/ports/counting.js';
import { LockTypeMismatchError } from '../../../../core/errors.js';
import { notExecuted } from '../connection/failures.js';

/** Unconfirmed answers that one number may have; a server takes 1 MB at most. */
const MAX_STORED_ANSWERS = 4_000;

/** The answer to an operation, kept until no caller can ask again; by the leader's clock. */
interface StoredCountAnswer {
  readonly answer: number;
  readonly untilMs: number;
}

interface StoredCount {
  readonly kind?: Counter['kind'];
  readonly value?: number;
  readonly memos?: Readonly<Record<string, readonly [answer: number, untilMs: number]>>;
  /** Permits with a lease: the end of each in epoch ms, -1 for one without an end. */
  readonly leases?: Readonly<Record<string, number>>;
}

/** A number, its answers and leases, as read. A change takes effect only when it is written back. */
export class CountState {
  #kind: Counter['kind'] | undefined;
  #value: number | undefined;
  readonly #answers = new Map<string, StoredCountAnswer>();
  readonly leases = new Map<string, number>();
  /** So often it was changed since it was read. */
  changes = 0;

  /** @throws LockTypeMismatchError for data that Bedrock did not write as a number */
  static parse(resource: string, bytes: Buffer): CountState {
    const state = new CountState(resource);
    try {
      const { kind, value, memos = {}, leases = {} } = JSON.parse(bytes.toString()) as StoredCount;
      state.#kind = kind;
      state.#value = value;
      for (const [id, [answer, untilMs]] of Object.entries(memos))
        state.#answers.set(id, { answer, untilMs });
      for (const [id, end] of Object.entries(leases)) state.leases.set(id, end < 0 ? Infinity : end);
      return state;
    } catch {
      throw new LockTypeMismatchError(resource, 'a node that holds no number');
    }
  }

  constructor(private readonly resource: string) {}

  /**
   * The number that is there; undefined where there is none. @throws LockTypeMismatchError where it
   * is of another kind
   */
  valueOf(kind: Counter['kind']): number | undefined {
    if (this.#value === undefined) return undefined;
    if (this.#kind !== kind) throw new LockTypeMismatchError(this.resource, `a ${this.#kind}`);
    return this.#value;
  }

  set(kind: Counter['kind'], value: number | undefined): void {
    this.#kind = kind;
    this.#value = value;
    this.changes += 1;
  }

  /** No answer is left that a caller could ask for. */
  get isEmpty(): boolean {
    return this.#value === undefined && this.#answers.size === 0;
  }

  storedAnswer(id: string): number | undefined {
    return this.#answers.get(id)?.answer;
  }

  /** @throws BackendUnavailableError rather than forget an answer that a caller may still ask for */
  assertRoom(): void {
    if (this.#answers.size >= MAX_STORED_ANSWERS)
      throw notExecuted('too many changes of one number are unconfirmed');
  }

  storeAnswer(id: string, answer: number, untilMs: number): void {
    this.#answers.set(id, { answer, untilMs });
    this.changes += 1;
  }

  dropAnswer(id: string): void {
    if (this.#answers.delete(id)) this.changes += 1;
  }

  /** Drops answers that no caller asks for any more. That alone does not justify a write. */
  dropExpiredAnswers(nowMs: number): void {
    for (const [id, { untilMs }] of this.#answers) if (untilMs <= nowMs) this.#answers.delete(id);
  }

  encode(): Buffer {
    const memos: Record<string, [number, number]> = {};
    for (const [id, { answer, untilMs }] of this.#answers) memos[id] = [answer, untilMs];
    const leases: Record<string, number> = {};
    for (const [id, end] of this.leases) leases[id] = end === Infinity ? -1 : end;
    const value = this.#value === undefined ? {} : { kind: this.#kind!, value: this.#value };
    const written: StoredCount = { ...value, memos, ...(this.leases.size > 0 && { leases }) };
    return Buffer.from(JSON.stringify(written));
  }
}
