import { BackendUnavailableError } from '../../../../core/errors.js';

export const BACKEND = 'zookeeper';

/** Nothing was sent, or the server has refused to act. */
export function notDone(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'no', cause === undefined ? {} : { cause });
}

/** The server may have acted. */
export function unanswered(detail: string, cause?: unknown): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, detail, 'unknown', cause === undefined ? {} : { cause });
}
