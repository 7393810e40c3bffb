import { compareLocks } from 'bedrock-lock';
import type { LockSpec } from '../options/lock-spec.js';
import { requestedUnits, type BoundLock } from '../core/lock-reference.js';

/** One lock that one call must hold: narrowed by its key. */
export interface RequiredLock extends BoundLock {
  readonly spec: LockSpec;
}

/**
 * The locks that one call requires, in the order in which everybody takes several locks. The same lock twice (a transfer to oneself) is
 * taken once: by the decorator that asks for most, the uppermost of them.
 */
export function inLockOrder(requiredLocks: readonly RequiredLock[]): readonly RequiredLock[] {
  if (requiredLocks.length < 2) return requiredLocks;
  const sorted = [...requiredLocks].sort(
    (one, other) =>
      compareLocks(one.lock, other.lock) || byUnits(requestedUnits(one.spec), requestedUnits(other.spec)),
  );
  return sorted.filter((required, index) => {
    const before = sorted[index - 1];
    return before?.lock.resource !== required.lock.resource || before.backend !== required.backend;
  });
}

// Infinity less Infinity is no number.
function byUnits(one: number, other: number): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}
