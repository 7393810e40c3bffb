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

/** What can run once: a method whose end is visible. */
export type IdempotentFunction = (...args: never[]) => PromiseLike<unknown>;

/** A decorator for methods whose arguments the functions of the options understand, and whose result can be replayed. */
export type IdempotentDecorator<A extends unknown[] = []> = <M extends IdempotentFunction>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Accepts<A, M> & CanBeStored<M>,
) => void;

/**
 * Runs the method once for each key; repeated calls get the result of the first. With `key` on a method that is no HTTP handler:
 * the result goes through JSON. Without it on an HTTP handler: the key is the `Idempotency-Key` header, and the response that went out (status,
 * headers, body) is replayed with `Idempotent-Replayed: true`.
 * @throws InvalidOptionError when the class is defined, for a bad option or on anything but an instance method; an unknown
 * name stops the application at its start
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

/** A bad option is told with the method that it is for, which is known only when the decorator is applied. */
function specOrProblem<A extends unknown[]>(options: string | IdempotentOptions<A>) {
  try {
    return { spec: idempotentSpec(options) };
  } catch (problem) {
    const { idempotency } = (options ?? {}) as Partial<IdempotentOptions>;
    if (typeof idempotency !== 'string') throw problem;
    return { problem };
  }
}

/** A bad value of a template is told with the method too. */
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
