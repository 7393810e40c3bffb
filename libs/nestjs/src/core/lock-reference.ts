import { InvalidOptionError, Acquirable, ReadWriteLock, Semaphore } from 'bedrock-lock';
import { checkWhole } from 'bedrock-lock/integration';
import type { LockKind, LockOf } from './lock.kind.js';

/** Part of a read-write lock. */
export type LockMode = 'read' | 'write';

/** What a decorator states about the lock that it names. */
export interface LockReference {
  readonly lock: string;
  /** The kind that the decorator expects; undefined accepts the registered kind. */
  readonly kind: LockKind | undefined;
  readonly mode: LockMode | undefined;
  readonly permits: number | undefined;
}

/** The lock that calls of a method hold, before a key narrows it. */
export interface BoundLock {
  readonly lock: Acquirable;
  /** The name under which its backend is registered. */
  readonly backend: string;
}

/** Kinds that cannot guard a method, each with advice. */
const ALTERNATIVES: { readonly [K in LockKind]?: string } = {
  countdownLatch: 'inject it with @InjectLock(), and call await() and countDown()',
  countingSemaphore: 'its permits have no holder; register a semaphore, or inject it with @InjectLock()',
  expirableSemaphore: 'its permits are not renewed; register a semaphore, or inject it with @InjectLock()',
  leaderElection: 'put @OnLeader() on the method',
};

/** Checks the decorator's statements against the kind of its lock. @throws InvalidOptionError */
export function checkReference(kind: LockKind, reference: LockReference): void {
  const instead = ALTERNATIVES[kind];
  if (instead !== undefined)
    throw new InvalidOptionError('lock', `of a kind other than ${kind}: ${instead}`, reference.lock);
  if (reference.kind !== undefined && reference.kind !== kind) {
    throw new InvalidOptionError(
      'kind',
      `left out, or '${kind}' as "${reference.lock}" is registered`,
      reference.kind,
    );
  }
  if (kind === 'readWriteLock') {
    if (reference.mode === undefined)
      throw new InvalidOptionError(
        'mode',
        `'read' or 'write': "${reference.lock}" is a readWriteLock`,
        undefined,
      );
  } else if (reference.mode !== undefined) {
    throw new InvalidOptionError(
      'mode',
      `left out: "${reference.lock}" is a ${kind}, not a readWriteLock`,
      reference.mode,
    );
  }
  if (reference.permits !== undefined && kind !== 'semaphore') {
    throw new InvalidOptionError(
      'permits',
      `left out: "${reference.lock}" is a ${kind}, not a semaphore`,
      reference.permits,
    );
  }
}

/**
 * The part of a registered lock that a method holds.
 * @throws InvalidOptionError as `checkReference()`, and for too many permits
 */
export function acquirableOf(lock: LockOf<LockKind>, reference: LockReference): Acquirable {
  if (lock instanceof ReadWriteLock && reference.mode !== undefined) return lock[reference.mode];
  if (lock instanceof Semaphore && reference.permits !== undefined) {
    checkWhole('permits', reference.permits, 1, lock.permits);
  }
  return lock as Acquirable;
}

/** How much of a lock a decorator requests, for the comparison with another decorator on the same lock. */
export function requestedUnits({ mode, permits = 1 }: LockReference): number {
  return mode === 'write' ? Infinity : permits;
}
