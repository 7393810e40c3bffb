import { compareLocks } from 'bedrock-lock/integration';
import type { LockSpec } from '../options/lock-spec.js';
import { requestedUnits, type BoundLock } from '../core/lock-reference.js';

/** A lock that one call must hold, narrowed by its key. */
export interface RequiredLock extends BoundLock {
  readonly spec: LockSpec;
}

/**
 * The locks that one call requires, in the order of `multiLock()`. A lock that occurs twice (a transfer to oneself) is
 * acquired once: by the decorator with the largest request, the uppermost of equals. `multiLock()` has no such choice:
 * it refuses two kinds of lock on one resource.
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

// Infinity − Infinity is NaN.
function byUnits(one: number, other: number): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}
