import { Inject, Injectable, Logger, type ArgumentsHost } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { isLockError, type LockError } from 'bedrock-lock';
import { responseTo, CLIENT_GONE, type LockErrorResponse } from './lock-error-response.js';
import type { LockInterceptorSettings } from '../options/lock-interceptor.settings.js';
import { usesProblemDetails, problemException } from './problem-details.js';
import { LOCK_INTERCEPTOR_SETTINGS, LOG_CONTEXT } from '../core/lock.constants.js';
import { graphqlException, httpException, rpcException, wsException } from './transport.exception.js';

/** Converts lock errors into exceptions of the transport; their `cause` is the lock error. */
@Injectable()
export class LockErrorMapper {
  readonly #logger = new Logger(LOG_CONTEXT);

  constructor(
    @Inject(LOCK_INTERCEPTOR_SETTINGS) readonly settings: LockInterceptorSettings,
    @Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost,
  ) {}

  /** The exception, or the given value if nothing maps it. Never rejects. */
  async map(error: unknown, host: ArgumentsHost, { isClientGone = false } = {}): Promise<unknown> {
    if (!this.settings.mapErrors || !isLockError(error)) return error;
    const isAborted = isClientGone && error.code === 'LOCK_ABORTED';
    const mapped = isAborted ? CLIENT_GONE : responseTo(error, this.settings);
    if (mapped === undefined) return error;
    try {
      const exception = await this.#exception(mapped, error, host);
      if (exception === undefined) return error;
      if (mapped.isFault) this.#logger.error(error);
      return exception;
    } catch (missing) {
      // Without the transport's package, no exception class is available, so the error stays as it is.
      this.#logger.warn(missing);
      return error;
    }
  }

  /** Undefined for a kind of handler that does not come from Nest. */
  #exception(
    mapped: LockErrorResponse,
    error: LockError,
    host: ArgumentsHost,
  ): Error | Promise<Error> | undefined {
    switch (host.getType<string>()) {
      case 'http':
        this.#setRetryAfter(mapped, host);
        if (!usesProblemDetails(host)) return httpException(mapped, error);
        return problemException(mapped, {
          adapter: this.adapters.httpAdapter,
          response: host.getArgByIndex(1),
          cause: error,
        });
      case 'rpc':
        return rpcException(mapped, error);
      case 'ws':
        return wsException(mapped, error);
      case 'graphql':
        return graphqlException(mapped, error);
      default:
        return undefined;
    }
  }

  /** Does nothing once the response has begun (a stream, server-sent events). */
  #setRetryAfter({ retryAfterMs }: LockErrorResponse, host: ArgumentsHost): void {
    const response: unknown = host.getArgByIndex(1);
    const { httpAdapter } = this.adapters;
    if (retryAfterMs === undefined || httpAdapter?.isHeadersSent(response) !== false) return;
    httpAdapter.setHeader(response, 'Retry-After', String(Math.round(retryAfterMs / 1_000)));
  }
}
