import 'reflect-metadata';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ServerResponse } from 'node:http';

/** Metadata key of `@UseFilters()`, whose last filter runs first; Nest does not export the constant. */
const FILTERS_METADATA = '__exceptionFilters__';

/** Responses that were replayed from an earlier request. */
export const replayedResponses = new WeakSet<ServerResponse>();

/**
 * Matches two errors. Nest raises an EmptyError, from any copy of rxjs, for a handler without a value. Node raises the
 * other if an outer interceptor adds a value, which Nest then sends.
 */
class AlreadyAnsweredError extends Error {
  static override [Symbol.hasInstance](error: unknown): boolean {
    const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
    return name === 'EmptyError' || code === 'ERR_HTTP_HEADERS_SENT';
  }
}

/** Ends a request that was answered without Nest, hidden from the application's filters and log. */
@Catch(AlreadyAnsweredError)
export class ReplayFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse & { readonly raw?: ServerResponse }>();
    // The error has another cause, so the global filters handle it.
    if (!replayedResponses.has(response.raw ?? response)) throw error;
  }
}

/**
 * Makes Nest try this filter before the handler's other filters, including those of decorators above `@Idempotent()`.
 */
export function putReplayFilterFirst(handler: object): void {
  const filters = (Reflect.getMetadata(FILTERS_METADATA, handler) ?? []) as readonly unknown[];
  const isReplayFilter = (one: unknown): boolean => one instanceof ReplayFilter;
  const others = filters.filter((one) => !isReplayFilter(one));
  Reflect.defineMetadata(FILTERS_METADATA, [...others, ...filters.filter(isReplayFilter)], handler);
}
