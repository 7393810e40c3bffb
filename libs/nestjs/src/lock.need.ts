import type { LockSpec } from './lock-spec.js';
import { shareOf, type HeldLock } from './lock.use.js';

/** One lock that one call must hold: narrowed by its key. */
export interface LockNeed extends HeldLock {
  readonly spec: LockSpec;
}

/**
 * The order in which every method of every process takes its locks, so that two methods with the same locks never wait
 * for each other; nor for a `multiLock()`, which takes them in the same order, since backends are made by their names. The
 * same lock twice (a transfer to oneself) is taken once: by the decorator that asks for most, the uppermost of them.
 */
export function inOrder(needs: readonly LockNeed[]): readonly LockNeed[] {
  if (needs.length < 2) return needs;
  const sorted = [...needs].sort(
    (one, other) =>
      compare(one.lock.resource, other.lock.resource) ||
      compare(one.backendKind, other.backendKind) ||
      compare(one.backend, other.backend) ||
      compare(shareOf(other.spec), shareOf(one.spec)),
  );
  return sorted.filter((need, index) => {
    const before = sorted[index - 1];
    return before?.lock.resource !== need.lock.resource || before.backend !== need.backend;
  });
}

// By code unit, not by locale: every process must agree.
function compare<V extends string | number>(one: V, other: V): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
