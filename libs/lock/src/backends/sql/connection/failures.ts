import { BackendUnavailableError } from '../../../core/errors.js';

/** Errors as callers of one kind of database see them. */
export class BackendErrors {
  constructor(private readonly backend: string) {}

  /** The request was certainly not executed. */
  notExecuted(detail: string, cause?: unknown): BackendUnavailableError {
    return new BackendUnavailableError(this.backend, detail, 'no', { cause });
  }

  /** The request was sent, but no answer arrived. */
  noAnswer(detail: string, cause?: unknown): BackendUnavailableError {
    return new BackendUnavailableError(this.backend, detail, 'unknown', { cause });
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
