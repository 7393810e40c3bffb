import type { Operation } from '../../core/ports/counting.js';
import type { Unsubscribe } from '../../core/ports/ports.js';
import type { WaitTerms } from '../../core/options/wait-options.js';

/** What the callers at the front got. */
export interface Passage<T> {
  /** One for each caller that may pass, from the first. */
  readonly passes: readonly T[];
  /** When asking again is worth it without a wake, in ms; Infinity when only a wake can help. */
  readonly retryInMs: number;
  /** What those behind still lack, for their errors: `2 permits are free`. */
  readonly lack: string;
}

/** How one kind of thing lets callers pass. */
export interface Gate<W extends WaitTerms, T> {
  /** Most callers that one question asks for. */
  readonly callersPerQuestion: number;
  /** Asks for callers in their order. May be repeated under its operation. */
  ask(resource: string, callers: readonly W[], operation: Operation): Promise<Passage<T>>;
  /** Calls `wake` when asking again may be worth it. */
  watch(resource: string, wake: () => void): Promise<Unsubscribe>;
  /** Where who passes takes something; undefined where asking changes nothing. */
  readonly returns?: Returns<W>;
}

/** How what was taken goes back when nobody is left to have it. */
export interface Returns<W extends WaitTerms> {
  /** Gives back what a question without an answer took, or may yet take; `operation` is that of the question. */
  undo(resource: string, callers: readonly W[], operation: Operation): Promise<unknown>;
  /** Gives back what was taken for these callers. */
  giveBack(resource: string, callers: readonly W[], operation: Operation): Promise<unknown>;
}
