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

/** What can be locked: the end of the work must be visible, so a method with a plain value does not compile. */
export type LockableMethod = (
  ...args: never[]
) => PromiseLike<unknown> | Observable<unknown> | AsyncIterableIterator<unknown>;

/** A decorator for methods whose arguments the functions of the options understand. */
export type LockMethodDecorator<A extends unknown[]> = <M extends LockableMethod>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Accepts<A, M>,
) => void;

/** That of `onBusy: 'skip'`: the method may give undefined. */
export type SkippingMethodDecorator<A extends unknown[]> = <M extends LockableMethod>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Accepts<A, M> & MayGiveNothing<M>,
) => void;

const wrappers = new WeakMap<Method, LockedMethod>();

/**
 * Runs the method only while a registered lock is held. Works above and below other decorators, on services,
 * controllers, inherited methods and every scope. Several of them on one method take their locks in one fixed order and
 * give them back in reverse.
 * @throws InvalidOptionError when the class is defined, for a bad option or on anything but an instance method; an
 * unknown lock stops the application at its start
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

/** A bad template is told with the method that it is for, which is known only when the decorator is applied. */
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

/** The locked method behind the wrapper that stands in the descriptor; puts one there when there is none. */
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

/** Only where the declaration has neither optional nor rest parameters can a placeholder be known to be wrong. */
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
