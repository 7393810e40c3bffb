import type { RecordedLocks } from '../core/recorded.locks.js';

/** What a test does with the methods and locks of one registry. */
export interface TestMode {
  readonly recorded: RecordedLocks;
  /** False: bodies run without any lock, whatever it is called. */
  readonly isLocking: boolean;
  /** What code gets in place of a lock or of idempotency. */
  readonly wrap: <T extends { readonly name: string }>(one: T) => T;
}

const modes = new WeakMap<object, TestMode>();

export function setTestMode(registry: object, mode: TestMode): void {
  modes.set(registry, mode);
}

/** Undefined outside of tests. */
export function testModeOf(registry: object): TestMode | undefined {
  return modes.get(registry);
}

/** In a test that wants no locks. */
export function isWithoutLocks(registry: object): boolean {
  return modes.get(registry)?.isLocking === false;
}

/** What code of the application gets: in a test a double that records, elsewhere the thing itself. */
export function exposed<T extends { readonly name: string }>(registry: object, one: T): T {
  return modes.get(registry)?.wrap(one) ?? one;
}
