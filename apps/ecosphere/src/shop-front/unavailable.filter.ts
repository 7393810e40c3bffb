import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ServerError } from '../server/server.error.js';
import { RETRY_AFTER_S } from './bounds.js';

/**
 * The book does not answer: 503. The purchase may still have been written; a retry with the same request id finds out.
 */
@Catch(ServerError)
export class UnavailableFilter implements ExceptionFilter<ServerError> {
  readonly #log = new Logger(UnavailableFilter.name);

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: ServerError, host: ArgumentsHost): void {
    this.#log.warn(error.message);
    const response: unknown = host.switchToHttp().getResponse();
    const { httpAdapter } = this.host;
    httpAdapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_S));
    const body = { statusCode: 503, error: 'Service Unavailable', message: 'the sale cannot be reached' };
    httpAdapter.reply(response, body, 503);
  }
}
