import {
  Catch,
  ConflictException,
  HttpException,
  Injectable,
  RequestTimeoutException,
  type ArgumentsHost,
  type CallHandler,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AsyncResource } from 'node:async_hooks';
import {
  catchError,
  defaultIfEmpty,
  lastValueFrom,
  map,
  mergeMap,
  of,
  throwError,
  timeout,
  Observable,
} from 'rxjs';

/** What the handlers of the kiosk did, and what they wait for. */
@Injectable()
export class Counts {
  runs = 0;
  /** Values that came past the interceptor of the whole application. */
  seen: unknown[] = [];
  /** Errors that came to the filter of the whole application. */
  errors: unknown[] = [];
  wait: Promise<unknown> = Promise.resolve();
  /** Numbers of requests, which a middleware gives. */
  requests = 0;
}

/** An error of the application, which knows nothing of HTTP. */
export class NoMoney extends Error {}

@Catch()
export class EverythingFilter implements ExceptionFilter {
  constructor(
    private readonly counts: Counts,
    private readonly adapters: HttpAdapterHost,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.counts.errors.push(error);
    const status = error instanceof HttpException ? error.getStatus() : error instanceof NoMoney ? 402 : 500;
    const response: unknown = host.switchToHttp().getResponse();
    this.adapters.httpAdapter.reply(response, { failed: (error as Error).message }, status);
  }
}

@Injectable()
export class WrappingInterceptor implements NestInterceptor {
  constructor(private readonly counts: Counts) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((value: unknown) => {
        this.counts.seen.push(value);
        return { data: value };
      }),
    );
  }
}

/** Fails after the handler. */
export function failing(error: () => Error): NestInterceptor {
  return { intercept: (_context, next) => next.handle().pipe(mergeMap(() => throwError(error))) };
}

/** Answers instead of a handler that takes its time. */
export const impatient: NestInterceptor = {
  intercept: (_context, next) =>
    next
      .handle()
      .pipe(timeout({ first: 50, with: () => throwError(() => new RequestTimeoutException('too slow')) })),
};

/** Has errors of its own for those of the handler. */
export const translating: NestInterceptor = {
  intercept: (_context, next) =>
    next.handle().pipe(catchError((error: Error) => throwError(() => new ConflictException(error.name)))),
};

const outside = new AsyncResource('a queue');

/** Calls the handler outside of the async context of its request. */
export const queueing: NestInterceptor = {
  intercept: (_context, next) =>
    new Observable((subscriber) => outside.runInAsyncScope(() => next.handle().subscribe(subscriber))),
};

/** Has a value where the handler has none. */
export const defaulting: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(defaultIfEmpty({ run: 'none' })),
};

/** Waits for the last value of the handler. */
export const awaiting: NestInterceptor = {
  intercept: async (_context, next) => of(await lastValueFrom(next.handle())),
};
