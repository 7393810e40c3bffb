import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ServerResponse } from 'node:http';

/** Responses that have had the answer of an earlier request. */
export const hasReplayed = new WeakSet<ServerResponse>();

/** What Nest makes of a handler without a value, whichever copy of rxjs it has. */
class NoValueError extends Error {
  static override [Symbol.hasInstance](error: unknown): boolean {
    return (error as Partial<Error> | undefined)?.name === 'EmptyError';
  }
}

/** Ends a request that was answered past Nest, without a word to the filters and the log of the application. */
@Catch(NoValueError)
export class ReplayFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse & { readonly raw?: ServerResponse }>();
    // Another interceptor has given nothing: a matter of the global filters.
    if (!hasReplayed.has(response.raw ?? response)) throw error;
  }
}
