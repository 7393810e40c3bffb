import { BackendUnavailableError } from '../../../../core/errors.js';

export const BACKEND = 'zookeeper';

/** Nothing was sent, or the server has refused to act. */
export function notExecuted(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'no', cause === undefined ? {} : { cause });
}

/** The server may have acted. */
export function noAnswer(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'unknown', cause === undefined ? {} : { cause });
}
