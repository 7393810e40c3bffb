import type { LockRegistry } from './lock.registry.js';
import type { RecordedLocks } from './recorded.locks.js';

/** What a test does with the methods of one registry. */
export interface TestMode {
  readonly recorded: RecordedLocks;
  /** False: bodies run without any lock, whatever it is called. */
  readonly isLocking: boolean;
}

const modes = new WeakMap<LockRegistry, TestMode>();
/** Those of the test modules that are open, in the order in which they were made. */
const open: LockRegistry[] = [];

/** Undefined outside of tests. */
export function testModeOf(registry: LockRegistry): TestMode | undefined {
  return modes.get(registry);
}

/** In a test that wants no locks. */
export function isWithoutLocks(registry: LockRegistry): boolean {
  return modes.get(registry)?.isLocking === false;
}

/**
 * Of the newest open test module: for objects that Nest did not make, and for those that got a double in place of a registry.
 * Undefined outside of tests.
 */
export function registryOfTests(): LockRegistry | undefined {
  return open.at(-1);
}

export function enterTestMode(registry: LockRegistry, mode: TestMode): void {
  modes.set(registry, mode);
  open.push(registry);
}

export function leaveTestMode(registry: LockRegistry): void {
  const index = open.indexOf(registry);
  if (index >= 0) open.splice(index, 1);
}
