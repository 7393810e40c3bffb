import type { LockRegistry } from './lock.registry.js';
import type { RecordedLocks } from './recorded.locks.js';

/** What a test does with the methods of one registry. */
export interface TestMode {
  readonly recorded: RecordedLocks;
  /** False: bodies run without any lock, whatever it is called. */
  readonly isLocking: boolean;
}

const modes = new WeakMap<LockRegistry, TestMode>();
let fallback: LockRegistry | undefined;

/** Undefined outside of tests. */
export function testModeOf(registry: LockRegistry): TestMode | undefined {
  return modes.get(registry);
}

/** In a test that wants no locks. */
export function isWithoutLocks(registry: LockRegistry): boolean {
  return modes.get(registry)?.isLocking === false;
}

/** For objects that Nest did not make, and for those that got a double in place of a registry. Undefined outside of tests. */
export function registryOfTests(): LockRegistry | undefined {
  return fallback;
}

export function enterTestMode(registry: LockRegistry, mode: TestMode): void {
  modes.set(registry, mode);
  fallback = registry;
}

export function leaveTestMode(registry: LockRegistry): void {
  if (fallback === registry) fallback = undefined;
}
