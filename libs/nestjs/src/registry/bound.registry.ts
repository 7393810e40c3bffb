import { isLockRegistry, type LockRegistry } from './lock.registry.js';
import { LOCKS } from '../core/lock.tokens.js';
import { setTestMode, type TestMode } from './test.mode.js';

/** Those of the test modules that are open, in the order in which they were made. */
const open: LockRegistry[] = [];

/**
 * The locks of an object with decorated methods; never a double that a test has put in their place. An object that Nest did not
 * make, or that got such a double, has those of the newest open test module.
 */
export function registryOf(self: object): LockRegistry | undefined {
  const given = (self as { [LOCKS]?: unknown } | undefined)?.[LOCKS];
  return isLockRegistry(given) ? given : open.at(-1);
}

export function enterTestMode(registry: LockRegistry, mode: TestMode): void {
  setTestMode(registry, mode);
  open.push(registry);
}

export function leaveTestMode(registry: LockRegistry): void {
  const index = open.indexOf(registry);
  if (index >= 0) open.splice(index, 1);
}
