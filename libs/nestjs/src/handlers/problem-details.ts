import 'reflect-metadata';
import { HttpException, type ArgumentsHost, type ExecutionContext } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ServerResponse, STATUS_CODES } from 'node:http';
import { IDEMPOTENT_HANDLER } from '../options/idempotent-spec.js';
import type { LockErrorResponse } from './lock-error-response.js';

/** Body of RFC 9457, extended by the error code. */
interface ProblemDetails {
  /** States that the title is the phrase of the status. */
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}

/** Contents of a problem. */
export type Problem = Pick<LockErrorResponse, 'status' | 'code' | 'message'>;

/** Media type of a problem. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Whether the handler follows the draft on idempotency keys. */
export function usesProblemDetails(host: ArgumentsHost): boolean {
  const handler: unknown = (host as Partial<ExecutionContext>).getHandler?.();
  return typeof handler === 'function' && Reflect.hasMetadata(IDEMPOTENT_HANDLER, handler);
}

/** An exception whose response is a problem. Sets the type of the response unless the response has begun. */
export function problemException(
  { status, code, message }: Problem,
  { adapter, response, cause }: { adapter: AbstractHttpAdapter; response: unknown; cause?: Error },
): HttpException {
  const title = STATUS_CODES[status] ?? 'Error';
  const body: ProblemDetails = { type: 'about:blank', title, status, detail: message, code };
  if (response instanceof ServerResponse) setTypeLast(response as ServerResponse);
  else if (!adapter.isHeadersSent(response)) adapter.setHeader(response, 'Content-Type', PROBLEM_TYPE);
  return new HttpException(body, status, cause === undefined ? {} : { cause });
}

/**
 * Sets the type with the head. On Express, Nest 11 regards another JSON type as a mistake, replaces it, and logs a
 * warning.
 */
function setTypeLast(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    // A filter with a response of its own has already chosen a type.
    if (/^application\/json\b/.test(String(response.getHeader('Content-Type'))))
      response.setHeader('Content-Type', PROBLEM_TYPE);
    return writeHead(...args);
  };
}
