import 'reflect-metadata';
import { InvalidOptionError } from 'bedrock-lock';
import type { Observable } from 'rxjs';
import { withErrorContext, addErrorContext } from '../core/error-context.js';
import { injectRegistry } from '../injection/registry-injection.js';
import type { DistributedLockOptions } from '../options/lock.options.js';
import { lockSpec, type LockSpec } from '../options/lock-spec.js';
import { LockedMethod, lockedMethods, type Method } from './locked.method.js';
import { methodLabel } from '../core/method.metadata.js';
import { checkDecoratorTarget } from '../core/decorator-target.js';
import type { Accepts, MayGiveNothing } from '../core/method.types.js';
import { wrapperOf } from './method.wrapper.js';

/** A lockable method. The end of its work must be visible, so a method with a plain value does not compile. */
export type LockableMethod = (
  ...args: never[]
) => PromiseLike<unknown> | Observable<unknown> | AsyncIterableIterator<unknown>;

/** A decorator for methods whose arguments fit the option functions. */
export type LockMethodDecorator<A extends unknown[]> = <M extends LockableMethod>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Accepts<A, M>,
) => void;

/** The decorator for `onBusy: 'skip'`: the method may return undefined. */
export type SkippingMethodDecorator<A extends unknown[]> = <M extends LockableMethod>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Accepts<A, M> & MayGiveNothing<M>,
) => void;

const wrappers = new WeakMap<Method, LockedMethod>();

/**
 * Runs the method only while a registered lock is held. Works above and below other decorators, on services,
 * controllers, inherited methods and every scope. Several on one method acquire their locks in one fixed order and
 * release them in reverse.
 * @throws InvalidOptionError at class definition, for a bad option or on anything but an instance method; an unknown
 * lock stops the application's start
 */
export function DistributedLock<A extends unknown[] = []>(
  options: DistributedLockOptions<A> & { readonly onBusy: 'skip' },
): SkippingMethodDecorator<A>;
export function DistributedLock<A extends unknown[] = []>(
  options: string | DistributedLockOptions<A>,
): LockMethodDecorator<A>;
export function DistributedLock<A extends unknown[] = []>(
  options: string | DistributedLockOptions<A>,
): LockMethodDecorator<A> {
  const { spec, problem } = specOrProblem(options);
  return (target, key, descriptor) => {
    checkDecoratorTarget('@DistributedLock()', { target, key, descriptor });
    if (spec === undefined)
      throw addErrorContext(problem, errorContextOf(target, key, options as DistributedLockOptions));
    const methodDescriptor = descriptor as PropertyDescriptor as TypedPropertyDescriptor<Method>;
    withErrorContext(errorContextOf(target, key, spec), () =>
      checkTemplate(spec, target, key, methodDescriptor),
    );
    lockedMethod(target, key, methodDescriptor).add(spec);
  };
}

/** Keeps the error of a bad template until the decorator is applied, so that the message can name the method. */
function specOrProblem<A extends unknown[]>(options: string | DistributedLockOptions<A>) {
  try {
    return { spec: lockSpec(options) };
  } catch (problem) {
    if (isAboutTemplate(problem, options)) return { problem };
    throw problem;
  }
}

function errorContextOf(target: object, key: string | symbol, { lock }: { readonly lock: string }): string {
  return `${methodLabel(target, key)}, lock "${lock}"`;
}

function isAboutTemplate(error: unknown, options: unknown): boolean {
  const { key, lock } = (options ?? {}) as Partial<DistributedLockOptions>;
  if (typeof key !== 'string' || typeof lock !== 'string') return false;
  return error instanceof InvalidOptionError && /^key( |$)/.test(error.field);
}

/** The locked method behind the descriptor's wrapper; wraps the method first if necessary. */
function lockedMethod(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
): LockedMethod {
  const original = descriptor.value!;
  const known = wrappers.get(original);
  if (known !== undefined) return known;
  const method = new LockedMethod(target, key, original, lockedMethods.of(target).get(key));
  descriptor.value = wrapperOf(original, (self, args) => method.call(self, args));
  wrappers.set(descriptor.value, method);
  lockedMethods.set(target, key, method);
  injectRegistry(target);
  return method;
}

/** A placeholder is provably wrong only if the declaration has neither optional nor rest parameters. */
function checkTemplate(
  { template }: LockSpec,
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
): void {
  const declared = Reflect.getMetadata('design:paramtypes', target, key) as unknown[] | undefined;
  const count = descriptor.value!.length;
  if (template === undefined || declared?.length !== count || template.lastIndex < count) return;
  throw new InvalidOptionError('key', `a template over the ${count} arguments of the method`, template.text);
}
