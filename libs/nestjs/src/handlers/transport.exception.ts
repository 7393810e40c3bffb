import { HttpException, type ArgumentsHost } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import type { Observable } from 'rxjs';
import type { LockErrorResponse } from './lock-error-response.js';

/** For HTTP: the body of Nest's own exceptions, plus the code. */
export function httpException(response: LockErrorResponse, cause: Error): HttpException {
  const { status: statusCode, message, code } = response;
  const error = STATUS_CODES[statusCode] ?? 'Error';
  return new HttpException({ statusCode, error, message, code }, statusCode, { cause });
}

/**
 * For GraphQL: the client finds the code in `errors[].extensions`. An HttpException, so that filters see the same class
 * as for HTTP, and Nest logs nothing. The body has no `statusCode`: the Apollo driver would replace the code by it.
 */
export function graphqlException(response: LockErrorResponse, cause: Error): HttpException {
  const { status, message, code, retryAfterMs } = response;
  const exception = new HttpException({ message, code }, status, { cause });
  return Object.assign(exception, { extensions: { code, status, ...optional({ retryAfterMs }) } });
}

// These packages are installed if their handlers run. Nest tests for its own class, so the exception must come from the
// application's copy, which also made the handler.

/** For microservices. */
export async function rpcException(response: LockErrorResponse, cause: Error): Promise<Error> {
  const { RpcException } = await import('@nestjs/microservices');
  return Object.assign(new RpcException(payload(response)), { cause });
}

/** For WebSockets. */
export async function wsException(response: LockErrorResponse, cause: Error): Promise<Error> {
  const { WsException } = await import('@nestjs/websockets');
  return Object.assign(new WsException(payload(response)), { cause });
}

/** Nest's response to a message that ended with this exception. */
export async function rpcResponse(exception: unknown, host: ArgumentsHost): Promise<Observable<unknown>> {
  const { BaseRpcExceptionFilter } = await import('@nestjs/microservices');
  return new BaseRpcExceptionFilter().catch(exception, host) as Observable<unknown>;
}

/** Sends Nest's response to a WebSocket message that ended with this exception. */
export async function sendWsError(exception: unknown, host: ArgumentsHost): Promise<void> {
  const { BaseWsExceptionFilter } = await import('@nestjs/websockets');
  new BaseWsExceptionFilter().catch(exception, host);
}

/** `status` is a word, as in Nest's own error payloads: gRPC would read a number as one of its codes. */
function payload({ status: statusCode, message, code, retryAfterMs }: LockErrorResponse): object {
  return { status: 'error', statusCode, code, message, ...optional({ retryAfterMs }) };
}

function optional(fields: { readonly retryAfterMs: number | undefined }): object {
  return fields.retryAfterMs === undefined ? {} : fields;
}
