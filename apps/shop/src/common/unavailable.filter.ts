import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { DatabaseError } from './database.error.js';

/** The database does not answer: 503. The request may still have taken effect; a retry finds out. */
@Catch(DatabaseError)
export class UnavailableFilter implements ExceptionFilter<DatabaseError> {
  readonly #log = new Logger(UnavailableFilter.name);

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: DatabaseError, host: ArgumentsHost): void {
    this.#log.warn(`${error.message} (${String(error.cause)})`);
    const response: unknown = host.switchToHttp().getResponse();
    const { httpAdapter } = this.host;
    httpAdapter.setHeader(response, 'Retry-After', '1');
    const { code, message } = error;
    httpAdapter.reply(response, { statusCode: 503, error: 'Service Unavailable', message, code }, 503);
  }
}
