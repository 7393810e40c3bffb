import { BackendUnavailableError } from '../../../../core/errors.js';

export const BACKEND = 'mysql';

/** What mysql2 puts on an error that the server has sent. */
interface ServerError extends Error {
  readonly errno?: number;
  readonly sqlState?: string;
  /** Set where the connection is gone with it. */
  readonly fatal?: boolean;
}

const DEADLOCK = 1213;
const LOCK_WAIT_TIMEOUT = 1205;
/** `NOWAIT` found the row locked: MySQL has a number of its own, MariaDB takes that of a lock wait. */
const LOCKED = 3572;
/** MariaDB: the row has changed since this transaction's snapshot was taken. */
const CHANGED_SINCE_SNAPSHOT = 1020;
const NO_SUCH_TABLE = 1146;
const TABLE_DENIED = 1142;

/** Errors after which the connection, or the server behind it, serves no caller: 1317 is a statement that was ended. */
const FATAL_ERRNOS: ReadonlySet<number> = new Set([1053, 1077, 1079, 1080, 1152, 1184, 1317, 1927, 4031]);

/** The server takes no changes: it runs with `read_only`, as a primary that was demoted does. */
const READ_ONLY_ERRNOS: ReadonlySet<number> = new Set([1290, 1836]);

export function errnoOf(error: unknown): number | undefined {
  return (error as ServerError | undefined)?.errno;
}

/** The statement did nothing, and a retry helps: it lost a deadlock, or waited too long for a row. */
export function isRetryable(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === DEADLOCK || errno === LOCK_WAIT_TIMEOUT || errno === CHANGED_SINCE_SNAPSHOT;
}

/** The row is locked by another transaction, and the caller did not want to wait any longer. */
export function isRowLocked(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === LOCKED || errno === LOCK_WAIT_TIMEOUT;
}

export function isDeadlock(error: unknown): boolean {
  return errnoOf(error) === DEADLOCK;
}

/** Another connection may lead to the server that is the primary now. */
export function isReadOnly(error: unknown): boolean {
  return READ_ONLY_ERRNOS.has(errnoOf(error) ?? 0);
}

/** The user may not read that table. */
export function isReadingDenied(error: unknown): boolean {
  return errnoOf(error) === TABLE_DENIED;
}

export function isTableMissing(error: unknown): boolean {
  return errnoOf(error) === NO_SUCH_TABLE;
}

/** Whether the server itself has said that it did not do it, on a connection that serves on. */
export function isServerError(error: unknown): boolean {
  const { errno, sqlState, fatal } = error as ServerError;
  return errno !== undefined && sqlState !== undefined && fatal !== true && !FATAL_ERRNOS.has(errno);
}

/** An error of a client as callers see it. A statement that the server has answered with an error did nothing. */
export function toBackendError(error: unknown): BackendUnavailableError {
  if (error instanceof BackendUnavailableError) return error;
  const text = error instanceof Error ? error.message || error.name : String(error);
  return new BackendUnavailableError(BACKEND, text, isServerError(error) ? 'no' : 'unknown', {
    cause: error,
  });
}

/** The request was certainly not executed. */
export function notExecuted(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'no', { cause });
}

/** The request was sent, but no answer arrived. */
export function noAnswer(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'unknown', { cause });
}
