import 'reflect-metadata';
import { LockExceptionFilter } from '../handlers/lock-exception.filter.js';
import { LockInterceptor } from '../handlers/lock.interceptor.js';
import { idempotentMethods } from '../idempotency/idempotent.method.js';
import { lockedMethods, type Method } from '../locking/locked.method.js';
import type { IdempotentSpec } from '../options/idempotent-spec.js';
import type { LockSpec } from '../options/lock-spec.js';

/** Metadata of Nest's own decorators. */
const PATH = 'path';
const HTTP_METHOD = 'method';
const INTERCEPTORS = '__interceptors__';
const FILTERS = '__exceptionFilters__';

/** An HTTP handler with a decorator of this package. */
export interface DecoratedHandler {
  /** The class that Nest instantiates. */
  readonly controller: object;
  /** Where the method is declared. */
  readonly prototype: object;
  readonly key: string | symbol;
  readonly descriptor: TypedPropertyDescriptor<Method>;
  readonly locks: readonly LockSpec[];
  /** Of `@Idempotent()`. */
  readonly idempotent: IdempotentSpec | undefined;
  /** The interceptor or the filter of this package is on the handler or its controller. */
  readonly isMapped: boolean;
}

/** The decorated HTTP handlers that a prototype declares. */
export function decoratedHandlers(prototype: object, controller: object): readonly DecoratedHandler[] {
  const locked = lockedMethods.of(prototype);
  const idempotent = idempotentMethods.of(prototype);
  return [...new Set([...locked.keys(), ...idempotent.keys()])].flatMap((key) => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, key) as
      TypedPropertyDescriptor<Method> | undefined;
    const handler = descriptor?.value;
    if (handler === undefined || !isRoute(handler)) return [];
    const spec = idempotent.get(key)?.spec;
    const locks = locked.get(key)?.specs ?? [];
    if (locks.length === 0 && spec === undefined) return [];
    const isMapped = mapsErrors(handler) || mapsErrors(controller);
    return [{ controller, prototype, key, descriptor: descriptor!, locks, idempotent: spec, isMapped }];
  });
}

function isRoute(handler: Method): boolean {
  return Reflect.hasMetadata(PATH, handler) && Reflect.hasMetadata(HTTP_METHOD, handler);
}

function mapsErrors(target: object): boolean {
  const given = [INTERCEPTORS, FILTERS].flatMap(
    (name) => (Reflect.getMetadata(name, target) ?? []) as readonly unknown[],
  );
  return given.some(
    (one) =>
      one === LockInterceptor ||
      one === LockExceptionFilter ||
      one instanceof LockInterceptor ||
      one instanceof LockExceptionFilter,
  );
}
