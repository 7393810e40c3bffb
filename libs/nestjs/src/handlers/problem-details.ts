import 'reflect-metadata';
import { HttpException, type ArgumentsHost, type ExecutionContext } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ServerResponse, STATUS_CODES } from 'node:http';
import { IDEMPOTENT_HANDLER } from '../options/idempotent-spec.js';
import type { LockErrorResponse } from './lock-error-response.js';

/** Body of RFC 9457, with the code of the error. */
interface ProblemDetails {
  /** Says that the title is the phrase of the status. */
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}

/** What a problem is made of. */
export type Problem = Pick<LockErrorResponse, 'status' | 'code' | 'message'>;

/** Its media type. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Whether the handler answers as the draft on idempotency keys has it. */
export function usesProblemDetails(host: ArgumentsHost): boolean {
  const handler: unknown = (host as Partial<ExecutionContext>).getHandler?.();
  return typeof handler === 'function' && Reflect.hasMetadata(IDEMPOTENT_HANDLER, handler);
}

/** The exception whose response is a problem; sets the type of the response, unless it has begun. */
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

/** With the head itself: on Express, Nest 11 takes another type of JSON for a mistake, replaces it, and warns. */
function setTypeLast(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    // Who answers the exception in a way of his own has chosen a type.
    if (/^application\/json\b/.test(String(response.getHeader('Content-Type'))))
      response.setHeader('Content-Type', PROBLEM_TYPE);
    return writeHead(...args);
  };
}
