import { checkWhole, InvalidOptionError, Acquirable, ReadWriteLock, Semaphore } from 'bedrock-lock';
import type { LockKind, LockOf } from './lock.kind.js';

/** Which part of a read-write lock. */
export type LockMode = 'read' | 'write';

/** What a decorator says about the lock that it names. */
export interface LockUse {
  readonly lock: string;
  /** The kind that it takes the lock for; undefined for whatever it is registered as. */
  readonly kind: LockKind | undefined;
  readonly mode: LockMode | undefined;
  readonly permits: number | undefined;
}

/** What calls of a method hold, before it is narrowed by a key. */
export interface HeldLock {
  readonly lock: Acquirable;
  /** The name under which its backend is registered. */
  readonly backend: string;
}

/** Kinds that no method can be put under, and what to do with them. */
const INSTEAD: { readonly [K in LockKind]?: string } = {
  countdownLatch: 'inject it with @InjectLock(), and call await() and countDown()',
  countingSemaphore: 'nobody holds its permits; register a semaphore, or inject it with @InjectLock()',
  expirableSemaphore: 'nothing renews its permits; register a semaphore, or inject it with @InjectLock()',
  leaderElection: 'put @OnLeader() on the method',
};

/** Checks what a decorator says against the kind of its lock. @throws InvalidOptionError */
export function checkUse(kind: LockKind, use: LockUse): void {
  const instead = INSTEAD[kind];
  if (instead !== undefined) throw new InvalidOptionError('lock', `no ${kind}: ${instead}`, use.lock);
  if (use.kind !== undefined && use.kind !== kind) {
    throw new InvalidOptionError('kind', `left out, or '${kind}' as "${use.lock}" is registered`, use.kind);
  }
  if (kind === 'readWriteLock') {
    if (use.mode === undefined)
      throw new InvalidOptionError('mode', `'read' or 'write': "${use.lock}" is a readWriteLock`, undefined);
  } else if (use.mode !== undefined) {
    throw new InvalidOptionError('mode', `left out: "${use.lock}" is a ${kind}, no readWriteLock`, use.mode);
  }
  if (use.permits !== undefined && kind !== 'semaphore') {
    throw new InvalidOptionError(
      'permits',
      `left out: "${use.lock}" is a ${kind}, no semaphore`,
      use.permits,
    );
  }
}

/** What a method holds of a registered lock. @throws InvalidOptionError as `checkUse()`, and for too many permits */
export function partOf(lock: LockOf<LockKind>, use: LockUse): Acquirable {
  if (lock instanceof ReadWriteLock && use.mode !== undefined) return lock[use.mode];
  if (lock instanceof Semaphore && use.permits !== undefined) {
    checkWhole('permits', use.permits, 1, lock.permits);
  }
  return lock as Acquirable;
}

/** How much of a lock a decorator wants, for the comparison with another one that names the same. */
export function shareOf({ mode, permits = 1 }: LockUse): number {
  return mode === 'write' ? Infinity : permits;
}
