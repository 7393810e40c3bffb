/** Lock errors that get a response of their own. The others are programming errors: 500, as without this module. */
export type MappedLockCode =
  | 'LOCK_BUSY'
  | 'LOCK_WAIT_TIMEOUT'
  | 'QUEUE_FULL'
  | 'BACKEND_UNAVAILABLE'
  | 'LOCK_CLOSED'
  | 'LOCK_LOST'
  | 'LOCK_REVOKED'
  | 'IDEMPOTENCY_IN_FLIGHT'
  | 'IDEMPOTENCY_MISMATCH'
  | 'IDEMPOTENCY_RESULT'
  | 'IDEMPOTENCY_LOST'
  | 'INVALID_OPTION';

/** Options of `LockInterceptor`. */
export interface LockInterceptorOptions {
  /**
   * Apply it to every handler. False leaves that to `@UseInterceptors(LockInterceptor)` and `useGlobalInterceptors()`.
   * @default true
   */
  readonly isGlobal?: boolean;
  /**
   * Convert lock errors that leave a handler into exceptions of its transport. False lets them through.
   * @default true
   */
  readonly mapErrors?: boolean;
  /**
   * HTTP status per error code, from 400 to 599. INVALID_OPTION is not mapped unless it is named here.
   * @default 409 for LOCK_BUSY, LOCK_WAIT_TIMEOUT, IDEMPOTENCY_IN_FLIGHT and IDEMPOTENCY_RESULT, 422 for
   * IDEMPOTENCY_MISMATCH, 503 for QUEUE_FULL, BACKEND_UNAVAILABLE and LOCK_CLOSED, 500 for LOCK_LOST, LOCK_REVOKED and
   * IDEMPOTENCY_LOST
   */
  readonly statuses?: Readonly<Partial<Record<MappedLockCode, number>>>;
  /**
   * Stop waiting for a lock when the handler's client disconnects, or no subscriber remains for its result. A method
   * that already holds its lock is never interrupted.
   * @default true
   */
  readonly abortOnDisconnect?: boolean;
}
