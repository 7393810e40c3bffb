import type { OperationId } from '../../core/ports/counting.js';
import type { Unsubscribe } from '../../core/ports/ports.js';
import type { WaitSettings } from '../../core/options/wait-options.js';

/** The answer to a request: what the callers at the front got. */
export interface CountAnswer<T> {
  /** One for each caller that is served, from the first. */
  readonly grants: readonly T[];
  /** When asking again is worth it without a wake, in ms; Infinity when only a wake can help. */
  readonly retryInMs: number;
  /** Why the next caller was not served, for its error: `2 permits are free`. */
  readonly lack: string;
}

/** How one kind of primitive asks for its callers. */
export interface CountStrategy<W extends WaitSettings, T> {
  /** Most callers that one request asks for. */
  readonly maxCallersPerRequest: number;
  /** Asks for callers in their order. May be repeated under its operation. */
  request(resource: string, callers: readonly W[], operation: OperationId): Promise<CountAnswer<T>>;
  /** Calls `wake` when asking again may be worth it. */
  watch(resource: string, wake: () => void): Promise<Unsubscribe>;
  /** How what was taken goes back; undefined where a request changes nothing. */
  readonly compensation?: Compensation<W>;
}

/** How what was taken goes back when no caller is left to have it. */
export interface Compensation<W extends WaitSettings> {
  /** Gives back what a request without an answer took, or may yet take; `operation` is that of the request. */
  undo(resource: string, callers: readonly W[], operation: OperationId): Promise<unknown>;
  /** Gives back what was taken for these callers. */
  giveBack(resource: string, callers: readonly W[], operation: OperationId): Promise<unknown>;
}
