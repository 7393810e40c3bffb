import { HttpStatus, Logger } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { LOG_CONTEXT } from '../core/lock.constants.js';

const BODY = JSON.stringify({
  statusCode: HttpStatus.INTERNAL_SERVER_ERROR,
  message: 'Internal server error',
});

/**
 * Ends a response that failed while being sent: with 500, or by closing the connection once bytes have left. The
 * handler and the filters have already finished. Never throws.
 */
export function endWithServerError(response: ServerResponse, error: unknown): void {
  new Logger(LOG_CONTEXT).error(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  try {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.writeHead(HttpStatus.INTERNAL_SERVER_ERROR, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(BODY),
    });
    response.end(BODY);
  } catch {
    response.destroy();
  }
}
