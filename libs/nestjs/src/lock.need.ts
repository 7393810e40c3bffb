import type { Mutex } from 'bedrock-lock';
import type { LockSpec } from './lock-spec.js';

/** One lock that one call must hold: narrowed by its key. */
export interface LockNeed {
  readonly mutex: Mutex;
  /** Name of its backend. */
  readonly backend: string;
  readonly spec: LockSpec;
}

/**
 * The order in which every method of every process takes its locks, so that two methods with the same locks never wait
 * for each other. The same lock twice (a transfer to oneself) is taken once, by the terms of the first.
 */
export function inOrder(needs: readonly LockNeed[]): readonly LockNeed[] {
  if (needs.length < 2) return needs;
  const sorted = [...needs].sort(
    (one, other) => compare(one.mutex.resource, other.mutex.resource) || compare(one.backend, other.backend),
  );
  return sorted.filter((need, index) => {
    const before = sorted[index - 1];
    return before?.mutex.resource !== need.mutex.resource || before.backend !== need.backend;
  });
}

// By code unit, not by locale: every process must agree.
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
