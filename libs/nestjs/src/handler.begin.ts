import { AsyncLocalStorage } from 'node:async_hooks';
import { wrapperOf } from './method.wrapper.js';
import type { Method } from './locked.method.js';

interface Request {
  hasBegun: boolean;
}

const requests = new AsyncLocalStorage<Request>();

/** The handler, which tells the request that it runs for when its body begins: behind all pipes and interceptors. */
export function tellingBegin(handler: Method): Method {
  return wrapperOf(handler, (self, args) => {
    const request = requests.getStore();
    if (request !== undefined) request.hasBegun = true;
    return handler.apply(self, args);
  });
}

/** Runs what leads to a handler; `hasBegun` tells whether its body was reached. */
export function watchingBegin<T>(run: (hasBegun: () => boolean) => T): T {
  const request: Request = { hasBegun: false };
  return requests.run(request, () => run(() => request.hasBegun));
}
