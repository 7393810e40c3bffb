import 'reflect-metadata';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ServerResponse } from 'node:http';

/** What `@UseFilters()` leaves on a handler, the last one to be asked first; the constant is no part of Nest's public entry. */
const FILTERS_METADATA = '__exceptionFilters__';

/** Responses that were replayed from an earlier request. */
export const replayedResponses = new WeakSet<ServerResponse>();

/**
 * What Nest makes of a handler without a value, whichever copy of rxjs it has; and what Node does where an outer interceptor
 * puts a value in place of none, which Nest then sends.
 */
class AlreadyAnsweredError extends Error {
  static override [Symbol.hasInstance](error: unknown): boolean {
    const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
    return name === 'EmptyError' || code === 'ERR_HTTP_HEADERS_SENT';
  }
}

/** Ends a request that was answered past Nest, without a word to the filters and the log of the application. */
@Catch(AlreadyAnsweredError)
export class ReplayFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse & { readonly raw?: ServerResponse }>();
    // It has another cause: a matter of the global filters.
    if (!replayedResponses.has(response.raw ?? response)) throw error;
  }
}

/** Has Nest ask it before the other filters of the handler, also those of decorators above `@Idempotent()`. */
export function putReplayFilterFirst(handler: object): void {
  const filters = (Reflect.getMetadata(FILTERS_METADATA, handler) ?? []) as readonly unknown[];
  const isReplayFilter = (one: unknown): boolean => one instanceof ReplayFilter;
  const others = filters.filter((one) => !isReplayFilter(one));
  Reflect.defineMetadata(FILTERS_METADATA, [...others, ...filters.filter(isReplayFilter)], handler);
}
