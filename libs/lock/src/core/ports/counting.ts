/** Largest count and most permits: what a Java `int` holds. */
export const MAX_PERMITS = 2 ** 31 - 1;

/**
 * Names a change. A repetition under the same id changes nothing more, and gets the answer of the
 * first execution. A relative change (`DECRBY`) must not be applied twice.
 */
export interface OperationId {
  readonly id: string;
  /** Sends of this operation so far, this one included. */
  readonly attempt: number;
  /** Monotonic local ms after which the server must refuse this very request as stale; a new send gets a new one. */
  readonly notAfter: number;
  /** How long the server must remember the answer, in ms. */
  readonly keepMs: number;
}

/** A number on the server that belongs to no process. */
export interface Counter {
  /** `latch`: counts down to zero, where it ends. `semaphore`: permits that are free; it may be negative. */
  readonly kind: 'latch' | 'semaphore';
  readonly resource: string;
}

/** How far a request for permits got. */
export interface TakeResult {
  /** Callers served, from the first. */
  readonly served: number;
  /** Permits that are free now. */
  readonly free: number;
  /** When asking again is worth it without a wake, in ms; Infinity when only a wake can help. */
  readonly retryInMs: number;
}

/** What one caller asks for. */
export interface PermitRequest {
  /** One for each permit: 32 hex digits, random, never used before. */
  readonly ids: readonly string[];
  /** Life of the permits from the server's receipt, in ms; Infinity = until they are released. */
  readonly leaseMs: number;
}
