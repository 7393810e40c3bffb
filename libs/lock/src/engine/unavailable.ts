import { BackendUnavailableError, isLockError, type LockError } from '../core/errors.js';

export function isUnavailable(error: unknown): error is BackendUnavailableError {
  return isLockError(error) && error.code === 'BACKEND_UNAVAILABLE';
}

/** The error of a driver as callers see it: a lock error as it is, anything else as an unavailable backend. */
export function asLockError(error: unknown, backend: string, resource: string): LockError {
  if (isUnavailable(error)) {
    return new BackendUnavailableError(backend, error.detail, error.executed, {
      cause: error.cause ?? error,
      resource,
    });
  }
  if (isLockError(error)) return error;
  return new BackendUnavailableError(backend, 'the driver failed', 'unknown', { cause: error, resource });
}
