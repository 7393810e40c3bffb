import { BackendUnavailableError, isLockError, type LockError } from './errors.js';

export function isUnavailable(error: unknown): error is BackendUnavailableError {
  return isLockError(error) && error.code === 'BACKEND_UNAVAILABLE';
}

/** Whether the server may have done what was asked, for all that this error tells. */
export function mayHaveActed(error: unknown): boolean {
  return !isUnavailable(error) || error.executed !== 'no';
}

/**
 * Converts an error of a driver for callers: a lock error stays, any other becomes an unavailable
 * backend.
 */
export function asLockError(error: unknown, backend: string, resource: string): LockError {
  if (isUnavailable(error)) {
    return new BackendUnavailableError(backend, error.detail, error.executed, {
      cause: error.cause ?? error,
      resource,
      ...(error.retryInMs !== undefined && { retryInMs: error.retryInMs }),
    });
  }
  if (isLockError(error)) return error;
  return new BackendUnavailableError(backend, 'the driver failed', 'unknown', { cause: error, resource });
}

export function renewalUnanswered(backend: string, resource: string): BackendUnavailableError {
  return new BackendUnavailableError(backend, 'no answer to a renewal', 'unknown', { resource });
}
