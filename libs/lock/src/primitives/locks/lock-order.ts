import { InvalidOptionError } from '../../core/errors.js';
import type { Acquirable } from './acquirable.js';
import { Lock } from './lock.js';

/**
 * For `sort()`: the order in which every caller of every process takes several locks. So two
 * callers that want the same locks never wait for each other. By resource, then by kind of backend.
 * Backends of one kind may have locks of one name: then the Bedrock that was made first in its
 * process goes first.
 */
export function compareLocks(one: Acquirable, other: Acquirable): number {
  return (
    compare(one.resource, other.resource) ||
    compare(one.engine.backend.name, other.engine.backend.name) ||
    one.engine.number - other.engine.number
  );
}

/**
 * The locks, each once, in the order of `compareLocks()`.
 * @throws InvalidOptionError naming `locks` or one of them
 */
export function inFixedOrder(locks: readonly Lock[]): readonly Lock[] {
  const given: unknown = locks;
  if (!Array.isArray(given) || given.length === 0)
    throw new InvalidOptionError('locks', 'an array of one lock or more', locks);
  for (const [i, lock] of locks.entries()) {
    if (!(lock instanceof Lock)) throw new InvalidOptionError(`locks[${i}]`, 'a lock of a Bedrock', lock);
  }
  const sorted = [...locks].sort(compareLocks);
  return sorted.filter((lock, i) => !repeats(lock, sorted[i - 1]));
}

function repeats(lock: Lock, before: Lock | undefined): boolean {
  if (before?.engine !== lock.engine || before.resource !== lock.resource) return false;
  if (before.settings.shape === lock.settings.shape) return true;
  throw new InvalidOptionError(
    'locks',
    `without two kinds of lock on one resource ("${lock.resource}")`,
    lock,
  );
}

// By code unit, not by locale: every process must agree.
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
