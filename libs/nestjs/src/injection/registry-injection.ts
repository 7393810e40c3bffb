import { Inject } from '@nestjs/common';
import { LOCK_REGISTRY, LOCKS } from '../core/lock.constants.js';

/**
 * Makes Nest inject the registry as a property into every instance of a class and its subclasses, whatever their scope
 * and constructor. Without the module, the application does not start, and Nest's message ends with our property key.
 */
export function injectRegistry(prototype: object): void {
  if (Object.hasOwn(prototype, LOCKS)) return;
  Inject(LOCK_REGISTRY)(prototype, LOCKS);
  Object.defineProperty(prototype, LOCKS, {
    configurable: true,
    get: () => undefined,
    // Hides the property that Nest assigns: a printed or compared entity or service shows no locks.
    set(this: object, registry: unknown) {
      Object.defineProperty(this, LOCKS, { value: registry, writable: true, configurable: true });
    },
  });
}
