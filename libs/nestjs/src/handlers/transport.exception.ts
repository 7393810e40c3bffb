import { HttpException, type ArgumentsHost } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import type { Observable } from 'rxjs';
import type { LockErrorResponse } from './lock-error-response.js';

/** For HTTP: the body that Nest's own exceptions have, and the code. */
export function httpException(response: LockErrorResponse, cause: Error): HttpException {
  const { status: statusCode, message, code } = response;
  const error = STATUS_CODES[statusCode] ?? 'Error';
  return new HttpException({ statusCode, error, message, code }, statusCode, { cause });
}

/**
 * For GraphQL: the client finds the code in `errors[].extensions`. An HttpException, so that filters see the same as for
 * HTTP and Nest logs nothing; its body has no `statusCode`, for which the Apollo driver would replace the code.
 */
export function graphqlException(response: LockErrorResponse, cause: Error): HttpException {
  const { status, message, code, retryAfterMs } = response;
  const exception = new HttpException({ message, code }, status, { cause });
  return Object.assign(exception, { extensions: { code, status, ...optional({ retryAfterMs }) } });
}

// The packages below are there when their handlers run. Nest asks for the very class, so it must be that of the
// application's copy: a handler cannot have come from another one.

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

/** What Nest answers to a message that ended with this. */
export async function rpcResponse(exception: unknown, host: ArgumentsHost): Promise<Observable<unknown>> {
  const { BaseRpcExceptionFilter } = await import('@nestjs/microservices');
  return new BaseRpcExceptionFilter().catch(exception, host) as Observable<unknown>;
}

/** Sends what Nest sends to a WebSocket whose message ended with this. */
export async function sendWsError(exception: unknown, host: ArgumentsHost): Promise<void> {
  const { BaseWsExceptionFilter } = await import('@nestjs/websockets');
  new BaseWsExceptionFilter().catch(exception, host);
}

/** As in Nest's own error payloads `status` is a word: gRPC would take a number for one of its codes. */
function payload({ status: statusCode, message, code, retryAfterMs }: LockErrorResponse): object {
  return { status: 'error', statusCode, code, message, ...optional({ retryAfterMs }) };
}

function optional(fields: { readonly retryAfterMs: number | undefined }): object {
  return fields.retryAfterMs === undefined ? {} : fields;
}
