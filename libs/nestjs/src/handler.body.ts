import { AsyncLocalStorage } from 'node:async_hooks';
import { wrapperOf } from './method.wrapper.js';
import type { Method } from './locked.method.js';

/** Is told of the body of a handler, which pipes and inner interceptors may keep from running. */
export interface BodyWatcher {
  began(): void;
  returned(): void;
  threw(error: unknown): void;
}

interface Watched {
  readonly watcher: BodyWatcher;
  readonly isBody: boolean;
}

const requests = new AsyncLocalStorage<Watched>();

/** The handler, which tells the watcher of its request when its body begins, behind all pipes and interceptors, and ends. */
export function watchedHandler(handler: Method): Method {
  return wrapperOf(handler, (self, args) => {
    const request = requests.getStore();
    if (request === undefined || request.isBody) return handler.apply(self, args);
    const { watcher } = request;
    watcher.began();
    try {
      const result = requests.run({ watcher, isBody: true }, () => handler.apply(self, args));
      if (isPromiseLike(result))
        result.then(
          () => watcher.returned(),
          (error: unknown) => watcher.threw(error),
        );
      else watcher.returned();
      return result;
    } catch (error) {
      watcher.threw(error);
      throw error;
    }
  });
}

/** Runs what leads to a handler. */
export function watchingBody<T>(watcher: BodyWatcher, run: () => T): T {
  return requests.run({ watcher, isBody: false }, run);
}

/** Whether this is called by the body that the watcher is told of. */
export function isInBody(watcher: BodyWatcher): boolean {
  const request = requests.getStore();
  return request !== undefined && request.isBody && request.watcher === watcher;
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null)?.then === 'function';
}
