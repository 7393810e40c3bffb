import { isLockRegistry, type LockRegistry } from './lock.registry.js';
import { LOCKS } from '../core/lock.constants.js';
import { setTestMode, type TestMode } from './test.mode.js';

/** Those of the test modules that are open, in the order in which they were made. */
const openTestRegistries: LockRegistry[] = [];

/**
 * The locks of an object with decorated methods; never a double that a test has put in their place. An object that Nest did not
 * make, or that got such a double, has those of the newest open test module.
 */
export function registryOf(self: object): LockRegistry | undefined {
  const given = (self as { [LOCKS]?: unknown } | undefined)?.[LOCKS];
  return isLockRegistry(given) ? given : openTestRegistries.at(-1);
}

export function enterTestMode(registry: LockRegistry, mode: TestMode): void {
  setTestMode(registry, mode);
  openTestRegistries.push(registry);
}

export function leaveTestMode(registry: LockRegistry): void {
  const index = openTestRegistries.indexOf(registry);
  if (index >= 0) openTestRegistries.splice(index, 1);
}
