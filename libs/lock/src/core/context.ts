import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Calls a function outside of every caller's asynchronous context. Timers, loops and listeners of
 * the library serve all callers. Otherwise they would run in the context of the caller that started
 * them. They would count as nested calls of that caller, and keep its context alive.
 */
export const outsideOfCallers: <A extends unknown[], R>(fn: (...args: A) => R, ...args: A) => R =
  AsyncLocalStorage.snapshot();

/** What runs a function in the asynchronous context of now, later on. */
export function inThisContext(): <R>(fn: () => R) => R {
  return AsyncLocalStorage.snapshot();
}
