import 'reflect-metadata';
import { Req } from '@nestjs/common';
import { Observable } from 'rxjs';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Method } from '../locking/locked.method.js';
import { wrapperOf } from '../locking/method.wrapper.js';

/** Is told of the body of a handler, which pipes and inner interceptors may keep from running. */
export interface BodyWatcher {
  began(): void;
  returned(): void;
  threw(error: unknown): void;
}

/** What `@Body()` and the like leave on a class, by method; the constant is no part of Nest's public entry. */
const ARGUMENTS = '__routeArguments__';

/** Of the requests whose handler is watched or was called without a watcher. */
const watchers = new WeakMap<object, BodyWatcher | undefined>();
const bodies = new AsyncLocalStorage<BodyWatcher>();

/**
 * Has Nest call the handler with its request behind all other arguments. Nothing else tells for certain which request a call
 * belongs to: an interceptor may call the handler from a queue, without an async context or in that of another request.
 * @returns the position of the request
 */
export function askForRequest(prototype: object, key: string | symbol): number {
  const known = (Reflect.getMetadata(ARGUMENTS, prototype.constructor, key) ?? {}) as Record<
    string,
    { readonly index: number }
  >;
  const position = 1 + Math.max(-1, ...Object.values(known).map(({ index }) => index));
  Req()(prototype, key, position);
  return position;
}

/**
 * The handler, which tells the watcher of its request when its body begins, behind all pipes and interceptors, and ends.
 * @param position where Nest puts the request
 */
export function watchedHandler(handler: Method, position: number): Method {
  return wrapperOf(handler, (self, args) => {
    const request = args[position] as object;
    // Code that calls the method itself gives other arguments.
    if (!watchers.has(request)) return handler.apply(self, args);
    const given = args.slice(0, position);
    const watcher = watchers.get(request);
    return watcher === undefined
      ? handler.apply(self, given)
      : watched(watcher, () => handler.apply(self, given));
  });
}

/** @param watcher undefined for a request that is none of its business */
export function watchBody(request: object, watcher: BodyWatcher | undefined): void {
  watchers.set(request, watcher);
}

/** Whether this is called by the body that the watcher is told of. */
export function isInBody(watcher: BodyWatcher): boolean {
  return bodies.getStore() === watcher;
}

function watched(watcher: BodyWatcher, body: () => unknown): unknown {
  watcher.began();
  try {
    const result = bodies.run(watcher, body);
    return isPromiseLike(result) ? watchedPromise(watcher, result) : watchedValue(watcher, result);
  } catch (error) {
    watcher.threw(error);
    throw error;
  }
}

/** Asks for the result once: that of a query builder runs the query. */
async function watchedPromise(watcher: BodyWatcher, promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    return watchedValue(watcher, await promise);
  } catch (error) {
    watcher.threw(error);
    throw error;
  }
}

/** An Observable does the work of the body when Nest subscribes to it. */
function watchedValue(watcher: BodyWatcher, value: unknown): unknown {
  if (typeof (value as Partial<Observable<unknown>> | null)?.subscribe !== 'function') {
    watcher.returned();
    return value;
  }
  const source = value as Observable<unknown>;
  return new Observable<unknown>((subscriber) => {
    let isOver = false;
    const end = (tell: () => void): void => {
      if (!isOver) tell();
      isOver = true;
    };
    const subscription = bodies.run(watcher, () =>
      source.subscribe({
        next: (item) => subscriber.next(item),
        error: (error: unknown) => {
          end(() => watcher.threw(error));
          subscriber.error(error);
        },
        complete: () => {
          end(() => watcher.returned());
          subscriber.complete();
        },
      }),
    );
    return () => {
      subscription.unsubscribe();
      end(() => watcher.returned());
    };
  });
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null)?.then === 'function';
}
