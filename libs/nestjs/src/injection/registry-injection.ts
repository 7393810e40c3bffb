import { Inject } from '@nestjs/common';
import { LOCK_REGISTRY, LOCKS } from '../core/lock.constants.js';

/**
 * Has Nest give the registry to every instance of a class and its subclasses, whatever their scope and constructor: by
 * property injection. Without the module the application does not start, and Nest's message ends with our property key.
 */
export function injectRegistry(prototype: object): void {
  if (Object.hasOwn(prototype, LOCKS)) return;
  Inject(LOCK_REGISTRY)(prototype, LOCKS);
  Object.defineProperty(prototype, LOCKS, {
    configurable: true,
    get: () => undefined,
    // What Nest assigns becomes a hidden property: an entity or a service that is printed or compared shows no locks.
    set(this: object, registry: unknown) {
      Object.defineProperty(this, LOCKS, { value: registry, writable: true, configurable: true });
    },
  });
}
