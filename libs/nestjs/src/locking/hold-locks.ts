import {
  isLockError,
  Lock,
  multiLock,
  type CallOptions,
  type Lease,
  type LockError,
  type MultiLock,
} from 'bedrock-lock';
import { isDeepStrictEqual } from 'node:util';
import { callerAbortSignal } from '../handlers/handler.flow.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import type { RequiredLock } from './required-lock.js';

/** Error codes of a lock that was not granted. */
const NOT_GRANTED: ReadonlySet<string> = new Set(['LOCK_BUSY', 'LOCK_WAIT_TIMEOUT', 'QUEUE_FULL']);

/** One call of a decorated method. */
export interface LockedCall {
  /** As `Orders.place`. */
  readonly method: string;
  readonly registry: LockRegistry;
  readonly self: object;
  readonly args: readonly unknown[];
  /** In the order of `inLockOrder()`. */
  readonly requiredLocks: readonly RequiredLock[];
}

/** Runs while every lock is held; the leases are in the order of the locks. */
export type HeldBody = (leases: readonly Lease[]) => Promise<unknown>;

/**
 * Acquires all locks, in one request if possible, else one inside the other; runs the body and releases. Returns the
 * body's value, or that of `onBusy` or `onLost` of a lock that was busy or lost.
 * @param signal aborts the waits; by default the signal of the handler's client
 */
export function holdLocks(
  call: LockedCall,
  body: HeldBody,
  signal = callerAbortSignal()?.asSignal(),
): Promise<unknown> {
  return call.registry.inMethod(call.method, () => holdAll(call, body, signal));
}

function holdAll(call: LockedCall, body: HeldBody, signal: AbortSignal | undefined): Promise<unknown> {
  const multi = asMultiLock(call.requiredLocks);
  if (multi !== undefined) {
    const { call: options } = call.requiredLocks[0]!.spec;
    return multi.run(({ leases }) => body(leases), signal === undefined ? options : { ...options, signal });
  }
  const leases: Lease[] = [];
  const holdFrom = (index: number): Promise<unknown> => {
    const required = call.requiredLocks[index];
    if (required === undefined) {
      // A lease may be lost while a later lock is awaited: the work must not begin then.
      for (const lease of leases) lease.assertHeld();
      return body(leases);
    }
    return holdOne(call, required, signal, (lease) => {
      leases.push(lease);
      return holdFrom(index + 1);
    });
  };
  return holdFrom(0);
}

/** Combines all locks into one, unless a decorator needs a setting of its own: permits, times, `onBusy` or `onLost`. */
function asMultiLock(requiredLocks: readonly RequiredLock[]): MultiLock | undefined {
  const [first] = requiredLocks;
  if (first === undefined || requiredLocks.length === 1) return undefined;
  const locks = requiredLocks.map(({ lock }) => lock).filter((lock) => lock instanceof Lock);
  const isPlain = requiredLocks.every(
    ({ spec }) =>
      spec.onBusy === 'throw' && spec.onLost === 'throw' && isDeepStrictEqual(spec.call, first.spec.call),
  );
  return isPlain && locks.length === requiredLocks.length ? multiLock(locks) : undefined;
}

function holdOne(
  call: LockedCall,
  required: RequiredLock,
  signal: AbortSignal | undefined,
  inner: (lease: Lease) => Promise<unknown>,
): Promise<unknown> {
  const { lock, spec } = required;
  const options = signal === undefined ? spec.call : { ...spec.call, signal };
  if (spec.onBusy === 'throw' && spec.onLost === 'throw') return lock.run(inner, options);
  return holdByPolicy(call, required, options, inner);
}

async function holdByPolicy(
  { self, args }: LockedCall,
  { lock, spec }: RequiredLock,
  options: CallOptions | undefined,
  inner: (lease: Lease) => Promise<unknown>,
): Promise<unknown> {
  let held: Lease | undefined;
  let endedUnheld = false;
  try {
    return await lock.run(async (lease) => {
      held = lease;
      try {
        return await inner(lease);
      } finally {
        endedUnheld = !lease.isHeld;
      }
    }, options);
  } catch (error) {
    // Without a lease, the error comes from waiting for this lock; with one, from the body or an inner lock.
    if (held === undefined) {
      if (!isNotGranted(error) || spec.onBusy === 'throw') throw error;
      return spec.onBusy === 'skip' ? undefined : await spec.onBusy.apply(self, [error, ...args]);
    }
    const isLoss = isLockError(error) && error.code === 'LOCK_LOST' && error.resource === lock.resource;
    if (!isLoss || !(endedUnheld || held.isLost) || spec.onLost === 'throw') throw error;
    return await spec.onLost.apply(self, [error, ...args]);
  }
}

// Compares codes: a backend may throw errors of another copy of bedrock-lock, whose classes differ.
function isNotGranted(error: unknown): error is LockError {
  return isLockError(error) && NOT_GRANTED.has(error.code);
}
