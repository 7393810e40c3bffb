import { BackendUnavailableError } from '../../../core/errors.js';
import type { SqlLinkFactory } from './link.js';

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

/** What an error says, and what to do about it where it does not say so. */
export function textWithAdvice(error: unknown, links: Pick<SqlLinkFactory, 'adviceOn'>): string {
  const advice = links.adviceOn?.(error);
  return advice === undefined ? textOf(error) : `${textOf(error)}; ${advice}`;
}

export function textOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
