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
import { callersDeparture } from '../handlers/handler.flow.js';
import type { LockNeed } from './lock.need.js';

/** The codes of a lock that was asked for and not granted. */
const NOT_GRANTED: ReadonlySet<string> = new Set(['LOCK_BUSY', 'LOCK_WAIT_TIMEOUT', 'QUEUE_FULL']);

/** One call of a decorated method. */
export interface LockedCall {
  readonly self: object;
  readonly args: readonly unknown[];
  /** In the order of `inOrder()`. */
  readonly needs: readonly LockNeed[];
}

/** What runs while every lock is held; the leases stand in the order of the needs. */
export type HeldBody = (leases: readonly Lease[]) => Promise<unknown>;

/**
 * Takes all locks, in one question where that can be, else one inside the other; runs the body and releases. Gives the body's
 * value, or that of the `onBusy` or `onLost` of the lock that was busy or lost.
 * @param signal aborts the waits; in a handler that is the departure of its client
 */
export function holdAll(
  call: LockedCall,
  body: HeldBody,
  signal = callersDeparture()?.asSignal(),
): Promise<unknown> {
  const together = asOne(call.needs);
  if (together !== undefined) {
    const { call: options } = call.needs[0]!.spec;
    return together.run(
      ({ leases }) => body(leases),
      signal === undefined ? options : { ...options, signal },
    );
  }
  const leases: Lease[] = [];
  const holdFrom = (index: number): Promise<unknown> => {
    const need = call.needs[index];
    if (need === undefined) {
      // Lost while a later one was waited for: the work must not begin.
      for (const lease of leases) lease.assertHeld();
      return body(leases);
    }
    return holdOne(call, need, signal, (lease) => {
      leases.push(lease);
      return holdFrom(index + 1);
    });
  };
  return holdFrom(0);
}

/**
 * All of them as one, where their decorators want nothing that each would have for itself: permits, a time of its own, an
 * answer of its own to being busy or lost.
 */
function asOne(needs: readonly LockNeed[]): MultiLock | undefined {
  const [first] = needs;
  if (first === undefined || needs.length === 1) return undefined;
  const locks = needs.map(({ lock }) => lock).filter((lock) => lock instanceof Lock);
  const isPlain = needs.every(
    ({ spec }) =>
      spec.onBusy === 'throw' && spec.onLost === 'throw' && isDeepStrictEqual(spec.call, first.spec.call),
  );
  return isPlain && locks.length === needs.length ? multiLock(locks) : undefined;
}

function holdOne(
  call: LockedCall,
  need: LockNeed,
  signal: AbortSignal | undefined,
  inner: (lease: Lease) => Promise<unknown>,
): Promise<unknown> {
  const { lock, spec } = need;
  const options = signal === undefined ? spec.call : { ...spec.call, signal };
  if (spec.onBusy === 'throw' && spec.onLost === 'throw') return lock.run(inner, options);
  return holdByPolicy(call, need, options, inner);
}

async function holdByPolicy(
  { self, args }: LockedCall,
  { lock, spec }: LockNeed,
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
    // Without a lease the error is from waiting for this lock, with one it is from the body or an inner lock.
    if (held === undefined) {
      if (!isNotGranted(error) || spec.onBusy === 'throw') throw error;
      return spec.onBusy === 'skip' ? undefined : await spec.onBusy.apply(self, [error, ...args]);
    }
    const isLoss = isLockError(error) && error.code === 'LOCK_LOST' && error.resource === lock.resource;
    if (!isLoss || !(endedUnheld || held.isLost) || spec.onLost === 'throw') throw error;
    return await spec.onLost.apply(self, [error, ...args]);
  }
}

// By code: a backend may throw the errors of another copy of bedrock-lock, which are of other classes.
function isNotGranted(error: unknown): error is LockError {
  return isLockError(error) && NOT_GRANTED.has(error.code);
}
