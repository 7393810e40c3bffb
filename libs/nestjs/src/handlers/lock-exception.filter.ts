import { Catch, Inject, Injectable, type ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { LockError } from 'bedrock-lock';
import { from, mergeAll } from 'rxjs';
import { LockErrorMapper } from './lock-error.mapper.js';
import { rpcResponse, sendWsError } from './transport.exception.js';

/**
 * Responds to lock errors of guards and middleware, which no interceptor sees, as `LockInterceptor` does to others. The
 * module adds it to the whole application, unless a global filter for lock errors exists.
 * Gateways have no global filters: apply it with `@UseFilters(LockExceptionFilter)`.
 */
@Catch(LockError)
@Injectable()
export class LockExceptionFilter extends BaseExceptionFilter<unknown> {
  /** @internal Nest creates it. */
  constructor(@Inject(LockErrorMapper) private readonly errors: LockErrorMapper) {
    super();
  }

  override catch(error: unknown, host: ArgumentsHost): unknown {
    const mapped = this.errors.map(error, host);
    switch (host.getType<string>()) {
      case 'http':
        return mapped.then((exception) => super.catch(exception, host));
      case 'rpc':
        return from(mapped.then((exception) => rpcResponse(exception, host))).pipe(mergeAll());
      case 'ws':
        return mapped.then((exception) => sendWsError(exception, host));
      default:
        return mapped.then((exception) => Promise.reject(exception as Error));
    }
  }
}
