import { InvalidOptionError } from 'bedrock-lock';
import { at } from './error.place.js';
import { handlerKind } from './handler.kind.js';
import { idempotencyOf } from './idempotency.registered.js';
import { idempotentMethods } from './idempotent.method.js';
import type { LockRegistry } from './lock.registry.js';

/**
 * Checks what only the running application can tell about the methods with `@Idempotent()` of one prototype, and gives a line
 * for the log about each.
 * @throws InvalidOptionError naming the method: nothing is registered under the name, or no key on what is no HTTP handler
 */
export function checkIdempotentMethods(prototype: object, registry: LockRegistry): readonly string[] {
  return Array.from(idempotentMethods.of(prototype), ([key, { label, spec }]) =>
    at(label, () => {
      idempotencyOf(registry, spec);
      const value: unknown = Object.getOwnPropertyDescriptor(prototype, key)?.value;
      const isHttp = typeof value === 'function' && handlerKind(value) === 'an HTTP handler';
      if (spec.key === undefined && !isHttp)
        throw new InvalidOptionError('key', 'given on a method that is no HTTP handler', undefined);
      return `${label} runs once per ${spec.key === undefined ? `header ${spec.header}` : 'key'} of ${spec.idempotency}`;
    }),
  );
}
