import { InvalidOptionError } from 'bedrock-lock';

/** The target of a decorator, as far as the user's compiler reports it. */
interface DecoratorTarget {
  readonly target: unknown;
  readonly key: unknown;
  readonly descriptor: PropertyDescriptor | undefined;
}

/**
 * Accepts only an instance method under legacy decorators, as Nest uses them.
 * @throws InvalidOptionError naming the decorator
 */
export function checkDecoratorTarget(decorator: string, { target, key, descriptor }: DecoratorTarget): void {
  if (typeof key !== 'string' && typeof key !== 'symbol') {
    throw new InvalidOptionError(decorator, 'compiled with "experimentalDecorators": true', key);
  }
  if (typeof target === 'function' || typeof descriptor?.value !== 'function') {
    throw new InvalidOptionError(decorator, 'put on an instance method', target);
  }
}
