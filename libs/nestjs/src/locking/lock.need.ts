import { compareLocks } from 'bedrock-lock';
import type { LockSpec } from '../options/lock-spec.js';
import { shareOf, type HeldLock } from '../core/lock.use.js';

/** One lock that one call must hold: narrowed by its key. */
export interface LockNeed extends HeldLock {
  readonly spec: LockSpec;
}

/**
 * The needs of one call, in the order in which everybody takes several locks. The same lock twice (a transfer to oneself) is
 * taken once: by the decorator that asks for most, the uppermost of them.
 */
export function inOrder(needs: readonly LockNeed[]): readonly LockNeed[] {
  if (needs.length < 2) return needs;
  const sorted = [...needs].sort(
    (one, other) => compareLocks(one.lock, other.lock) || byShare(shareOf(one.spec), shareOf(other.spec)),
  );
  return sorted.filter((need, index) => {
    const before = sorted[index - 1];
    return before?.lock.resource !== need.lock.resource || before.backend !== need.backend;
  });
}

// Infinity less Infinity is no number.
function byShare(one: number, other: number): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}
