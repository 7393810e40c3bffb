import { isLockRegistry, type LockRegistry } from './lock.registry.js';
import { LOCKS } from './lock.tokens.js';
import { registryOfTests } from './test.mode.js';

/** The locks of an object with decorated methods; never a double that a test has put in their place. */
export function registryOf(self: object): LockRegistry | undefined {
  const given = (self as { [LOCKS]?: unknown } | undefined)?.[LOCKS];
  return isLockRegistry(given) ? given : registryOfTests();
}
