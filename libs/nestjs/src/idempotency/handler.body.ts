import 'reflect-metadata';
import { Req } from '@nestjs/common';
import { Observable } from 'rxjs';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Method } from '../locking/locked.method.js';
import { wrapperOf } from '../locking/method.wrapper.js';

/** Notified about a handler's body, which pipes and inner interceptors may keep from running. */
export interface BodyObserver {
  began(): void;
  returned(): void;
  threw(error: unknown): void;
}

/**
 * Nest's metadata of route parameters (`@Body()` and the like), per class and method; Nest does not export the
 * constant.
 */
const ROUTE_ARGUMENTS = '__routeArguments__';

/** Observers by request. A key without a value is a request whose handler runs unobserved. */
const observers = new WeakMap<object, BodyObserver | undefined>();
const bodies = new AsyncLocalStorage<BodyObserver>();

/**
 * Makes Nest pass the request behind all other arguments. Nothing else identifies the request of a call for certain: an
 * interceptor may call the handler from a queue, with no async context or another request's.
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
 * Wraps the handler. Notifies the request's observer when the body begins, after all pipes and interceptors, and when
 * it ends.
 * @param position where Nest passes the request
 */
export function observedHandler(handler: Method, position: number): Method {
  return wrapperOf(handler, (self, args) => {
    const request = args[position] as object;
    // A direct call from code passes other arguments.
    if (!observers.has(request)) return handler.apply(self, args);
    const given = args.slice(0, position);
    const observer = observers.get(request);
    return observer === undefined
      ? handler.apply(self, given)
      : observed(observer, () => handler.apply(self, given));
  });
}

/** @param observer undefined for a request that needs no observation */
export function observeBody(request: object, observer: BodyObserver | undefined): void {
  observers.set(request, observer);
}

/** Whether the caller runs in the body that this observer watches. */
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

/** Awaits the result once: awaiting a query builder runs its query. */
async function observedPromise(observer: BodyObserver, promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    return observedValue(observer, await promise);
  } catch (error) {
    observer.threw(error);
    throw error;
  }
}

/** An Observable does the body's work when Nest subscribes to it. */
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
