import 'reflect-metadata';
import { Req } from '@nestjs/common';
import { Observable } from 'rxjs';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Method } from '../locking/locked.method.js';
import { wrapperOf } from '../locking/method.wrapper.js';

/** Is told of the body of a handler, which pipes and inner interceptors may keep from running. */
export interface BodyObserver {
  began(): void;
  returned(): void;
  threw(error: unknown): void;
}

/** What `@Body()` and the like leave on a class, by method; the constant is no part of Nest's public entry. */
const ROUTE_ARGUMENTS = '__routeArguments__';

/** Of the requests whose handler is observed or was called without an observer. */
const observers = new WeakMap<object, BodyObserver | undefined>();
const bodies = new AsyncLocalStorage<BodyObserver>();

/**
 * Has Nest call the handler with its request behind all other arguments. Nothing else tells for certain which request a call
 * belongs to: an interceptor may call the handler from a queue, without an async context or in that of another request.
 * @returns the position of the request
 */
export function injectRequest(prototype: object, key: string | symbol): number {
  const known = (Reflect.getMetadata(ROUTE_ARGUMENTS, prototype.constructor, key) ?? {}) as Record<
    string,
    { readonly index: number }
  >;
  const position = 1 + Math.max(-1, ...Object.values(known).map(({ index }) => index));
  Req()(prototype, key, position);
  return position;
}

/**
 * The handler, which tells the observer of its request when its body begins, behind all pipes and interceptors, and ends.
 * @param position where Nest puts the request
 */
export function observedHandler(handler: Method, position: number): Method {
  return wrapperOf(handler, (self, args) => {
    const request = args[position] as object;
    // Code that calls the method itself gives other arguments.
    if (!observers.has(request)) return handler.apply(self, args);
    const given = args.slice(0, position);
    const observer = observers.get(request);
    return observer === undefined
      ? handler.apply(self, given)
      : observed(observer, () => handler.apply(self, given));
  });
}

/** @param observer undefined for a request that is none of its business */
export function observeBody(request: object, observer: BodyObserver | undefined): void {
  observers.set(request, observer);
}

/** Whether this is called by the body that the observer is told of. */
export function isInBody(observer: BodyObserver): boolean {
  return bodies.getStore() === observer;
}

function observed(observer: BodyObserver, body: () => unknown): unknown {
  observer.began();
  try {
    const result = bodies.run(observer, body);
    return isPromiseLike(result) ? observedPromise(observer, result) : observedValue(observer, result);
  } catch (error) {
    observer.threw(error);
    throw error;
  }
}

/** Asks for the result once: that of a query builder runs the query. */
async function observedPromise(observer: BodyObserver, promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    return observedValue(observer, await promise);
  } catch (error) {
    observer.threw(error);
    throw error;
  }
}

/** An Observable does the work of the body when Nest subscribes to it. */
function observedValue(observer: BodyObserver, value: unknown): unknown {
  if (typeof (value as Partial<Observable<unknown>> | null)?.subscribe !== 'function') {
    observer.returned();
    return value;
  }
  const source = value as Observable<unknown>;
  return new Observable<unknown>((subscriber) => {
    let isOver = false;
    const end = (tell: () => void): void => {
      if (!isOver) tell();
      isOver = true;
    };
    const subscription = bodies.run(observer, () =>
      source.subscribe({
        next: (item) => subscriber.next(item),
        error: (error: unknown) => {
          end(() => observer.threw(error));
          subscriber.error(error);
        },
        complete: () => {
          end(() => observer.returned());
          subscriber.complete();
        },
      }),
    );
    return () => {
      subscription.unsubscribe();
      end(() => observer.returned());
    };
  });
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null)?.then === 'function';
}
