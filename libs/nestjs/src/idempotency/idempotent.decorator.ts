import 'reflect-metadata';
import { UseFilters, UseInterceptors } from '@nestjs/common';
import { addErrorContext } from '../core/error-context.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import {
  IDEMPOTENT_HANDLER,
  idempotentSpec,
  type IdempotentHandlerOptions,
  type IdempotentMethodOptions,
  type IdempotentOptions,
  type IdempotentSpec,
} from '../options/idempotent-spec.js';
import { IdempotentMethod, idempotentMethods } from './idempotent.method.js';
import { injectRequest, observedHandler } from './handler.body.js';
import { injectRegistry } from '../injection/registry-injection.js';
import type { Method } from '../locking/locked.method.js';
import { methodLabel } from '../core/method.metadata.js';
import { checkDecoratorTarget } from '../core/decorator-target.js';
import type { Accepts, CanBeStored } from '../core/method.types.js';
import { wrapperOf } from '../locking/method.wrapper.js';
import { ReplayFilter } from '../responses/replay.filter.js';

/** A method that can run once per key: its promise shows when it ends. */
export type IdempotentFunction = (...args: never[]) => PromiseLike<unknown>;

/** A decorator for methods whose arguments fit the option functions and whose result can be replayed. */
export type IdempotentDecorator<A extends unknown[] = []> = <M extends IdempotentFunction>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Accepts<A, M> & CanBeStored<M>,
) => void;

/**
 * Runs the method once per key; repeated calls get the first result. On an ordinary method, `key` is required, and the
 * result is stored as JSON.
 * On an HTTP handler, the key is the `Idempotency-Key` header. The sent response (status, headers, body) is replayed
 * with `Idempotent-Replayed: true`.
 * @throws InvalidOptionError at class definition, for a bad option or on anything but an instance method; an unknown
 * name stops the application's start
 */
export function Idempotent<A extends unknown[] = []>(
  options: IdempotentMethodOptions<A>,
): IdempotentDecorator<A>;
export function Idempotent(options: string | IdempotentHandlerOptions): IdempotentDecorator;
export function Idempotent<A extends unknown[] = []>(
  options: string | IdempotentOptions<A>,
): IdempotentDecorator<A> {
  const { spec: bare, problem } = specOrProblem(options);
  return (target, key, descriptor) => {
    checkDecoratorTarget('@Idempotent()', { target, key, descriptor });
    const name = typeof options === 'string' ? options : options.idempotency;
    const where = `${methodLabel(target, key)}, idempotency "${name}"`;
    if (bare === undefined) throw addErrorContext(problem, where);
    const given = { ...bare, key: withContext(bare.key, where), scope: withContext(bare.scope, where) };
    const methodDescriptor = descriptor as PropertyDescriptor as TypedPropertyDescriptor<Method>;
    const method = new IdempotentMethod(target, key, given, methodDescriptor.value!);
    idempotentMethods.set(target, key, method);
    injectRegistry(target);
    if (given.key === undefined) {
      methodDescriptor.value = observedHandler(methodDescriptor.value!, injectRequest(target, key));
      Reflect.defineMetadata(IDEMPOTENT_HANDLER, method, methodDescriptor.value);
      UseInterceptors(IdempotencyInterceptor)(target, key, methodDescriptor);
      UseFilters(new ReplayFilter())(target, key, methodDescriptor);
    } else
      methodDescriptor.value = wrapperOf(methodDescriptor.value!, (self, args) => method.call(self, args));
  };
}

/** Keeps the error of a bad option until the decorator is applied, so that the message can name the method. */
function specOrProblem<A extends unknown[]>(options: string | IdempotentOptions<A>) {
  try {
    return { spec: idempotentSpec(options) };
  } catch (problem) {
    const { idempotency } = (options ?? {}) as Partial<IdempotentOptions>;
    if (typeof idempotency !== 'string') throw problem;
    return { problem };
  }
}

/** Adds the method's name to errors about a bad template value. */
function withContext<R extends IdempotentSpec['scope']>(read: R, where: string): R {
  if (read === undefined) return read;
  const readWithContext: IdempotentSpec['scope'] = (self, args) => {
    try {
      return read(self, args);
    } catch (error) {
      throw addErrorContext(error, where);
    }
  };
  return readWithContext as R;
}
