import { InvalidOptionError } from 'bedrock-lock';

/** Where a decorator was put, as far as the compiler of the user says. */
interface DecoratorTarget {
  readonly target: unknown;
  readonly key: unknown;
  readonly descriptor: PropertyDescriptor | undefined;
}

/** An instance method, decorated as Nest decorates. @throws InvalidOptionError naming the decorator */
export function checkDecoratorTarget(decorator: string, { target, key, descriptor }: DecoratorTarget): void {
  if (typeof key !== 'string' && typeof key !== 'symbol') {
    throw new InvalidOptionError(decorator, 'compiled with "experimentalDecorators": true', key);
  }
  if (typeof target === 'function' || typeof descriptor?.value !== 'function') {
    throw new InvalidOptionError(decorator, 'put on an instance method', target);
  }
}
