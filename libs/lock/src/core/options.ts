import { MAX_TIMER_MS, type Clock } from './clock.js';
import { InvalidOptionError, UnsupportedByBackendError } from './errors.js';
import type { Traits } from './ports.js';

/** Options of one lock, set where it is created. */
export interface LockOptions {
  /** Life of the grant without a sign of its holder, in whole ms within the backend's bounds. @default 30000, or the backend's longest */
  readonly leaseMs?: number;
  /** Renew the lease while it is held. False gives a fixed lease that ends after `leaseMs`. @default true */
  readonly renew?: boolean;
  /** Share of the lease after which it is renewed, in (0, 0.9]. @default 1/3 */
  readonly renewAt?: number;
  /** Longest hold, in ms: then the lease is lost, its signal aborts. Infinity = no such bound. @default Infinity */
  readonly maxHoldMs?: number;
  /** Longest wait for the lock, in ms. 0 tries once; Infinity waits until aborted. @default 5000 */
  readonly waitMs?: number;
  /** Hand out fencing tokens; refused at construction where the backend has none. @default true where it has them */
  readonly fencing?: boolean;
  /** A nested `run` of the same call chain enters at once. False makes it a `LockSelfDeadlockError`. @default true */
  readonly reentrant?: boolean;
  /** Keep others out at least this long after the grant, in whole ms, even after a release (scheduled jobs). @default 0 */
  readonly holdAtLeastMs?: number;
  /** Reject at once when the backend is unavailable, instead of retrying until `waitMs`. @default false */
  readonly failFast?: boolean;
  /**
   * Spin interval, in ms: a waiting head re-asks at least this often. Without it a wake or the sweep (every 0.6 to 0.9 s)
   * makes it ask. @default undefined
   */
  readonly reaskMs?: number;
  /** Callers that may wait for one resource in this process; the next gets a `QueueFullError`. @default 10000 */
  readonly maxWaiters?: number;
}

/** Options of one call; they override those of the lock. */
export interface CallOptions extends Pick<
  LockOptions,
  'waitMs' | 'leaseMs' | 'renew' | 'maxHoldMs' | 'failFast'
> {
  /** Aborts the wait, not the hold. An already aborted signal rejects before anything is sent. */
  readonly signal?: AbortSignal;
}

/** How long a process may serve its own queue before the others get their chance. */
export interface HandOverOptions {
  /** Time, in ms. 0 never hands over. @default 10 */
  readonly quantumMs?: number;
  /** Grants, which is also the most fencing tokens that are reserved at a time. @default 512 */
  readonly quantumGrants?: number;
}

/** The resolved, checked and frozen options of a lock. */
export interface Terms {
  readonly leaseMs: number;
  readonly renew: boolean;
  readonly renewAt: number;
  readonly maxHoldMs: number;
  readonly waitMs: number;
  readonly fencing: boolean;
  readonly reentrant: boolean;
  readonly holdAtLeastMs: number;
  readonly failFast: boolean;
  /** Infinity when not set. */
  readonly reaskMs: number;
  readonly maxWaiters: number;
}

const LOCK_FIELDS: ReadonlySet<string> = new Set<keyof LockOptions>([
  'leaseMs', 'renew', 'renewAt', 'maxHoldMs', 'waitMs', 'fencing', 'reentrant', 'holdAtLeastMs', 'failFast', 'reaskMs', 'maxWaiters',
]); // prettier-ignore
const CALL_FIELDS: ReadonlySet<string> = new Set<keyof CallOptions>([
  'waitMs', 'leaseMs', 'renew', 'maxHoldMs', 'failFast', 'signal',
]); // prettier-ignore

/** Checks and completes the options of a lock. @throws InvalidOptionError, UnsupportedByBackendError */
export function resolveTerms(options: LockOptions, traits: Traits, backend: string): Terms {
  checkFields('options', options, LOCK_FIELDS);
  const { minLeaseMs, maxLeaseMs } = traits;
  // Defaults stand in for undefined alone: null is a mistake.
  const {
    leaseMs = Math.min(30_000, maxLeaseMs),
    renew = true,
    renewAt = 1 / 3,
    maxHoldMs = Infinity,
    waitMs = 5_000,
    fencing = traits.fencing,
    reentrant = true,
    holdAtLeastMs = 0,
    failFast = false,
    reaskMs,
    maxWaiters = 10_000,
  } = options;
  const terms: Terms = Object.freeze({
    leaseMs: checkWhole('leaseMs', leaseMs, minLeaseMs, maxLeaseMs),
    renew: checkBoolean('renew', renew),
    renewAt: checkShare('renewAt', renewAt),
    maxHoldMs: checkTime('maxHoldMs', maxHoldMs, 1),
    waitMs: checkTime('waitMs', waitMs, 0),
    fencing: checkBoolean('fencing', fencing),
    reentrant: checkBoolean('reentrant', reentrant),
    holdAtLeastMs: checkWhole('holdAtLeastMs', holdAtLeastMs, 0, maxLeaseMs),
    failFast: checkBoolean('failFast', failFast),
    reaskMs: reaskMs === undefined ? Infinity : checkTime('reaskMs', reaskMs, 1, MAX_TIMER_MS),
    maxWaiters: checkWhole('maxWaiters', maxWaiters, 1, 10_000_000),
  });
  if (terms.fencing && !traits.fencing) {
    throw new UnsupportedByBackendError(
      backend,
      'fencing tokens',
      'set fencing: false or take another backend',
    );
  }
  if (terms.holdAtLeastMs > 0 && !traits.holdAtLeast) {
    throw new UnsupportedByBackendError(
      backend,
      'holdAtLeastMs',
      'its locks end with the session; take a lease backend',
    );
  }
  return terms;
}

/** Applies the options of one call. Gives back `terms` itself when nothing changes: the hot path allocates nothing. */
export function callTerms(terms: Terms, call: CallOptions | undefined, traits: Traits): Terms {
  if (call === undefined) return terms;
  checkFields('options', call, CALL_FIELDS);
  if (call.signal !== undefined && !isAbortSignal(call.signal)) {
    throw new InvalidOptionError('signal', 'an AbortSignal', call.signal);
  }
  const { waitMs, leaseMs, renew, maxHoldMs, failFast } = call;
  if (
    waitMs === undefined &&
    leaseMs === undefined &&
    renew === undefined &&
    maxHoldMs === undefined &&
    failFast === undefined
  ) {
    return terms;
  }
  return {
    ...terms,
    waitMs: waitMs === undefined ? terms.waitMs : checkTime('waitMs', waitMs, 0),
    leaseMs:
      leaseMs === undefined
        ? terms.leaseMs
        : checkWhole('leaseMs', leaseMs, traits.minLeaseMs, traits.maxLeaseMs),
    renew: renew === undefined ? terms.renew : checkBoolean('renew', renew),
    maxHoldMs: maxHoldMs === undefined ? terms.maxHoldMs : checkTime('maxHoldMs', maxHoldMs, 1),
    failFast: failFast === undefined ? terms.failFast : checkBoolean('failFast', failFast),
  };
}

/** An object that is no array. @throws InvalidOptionError */
export function checkObject(field: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidOptionError(field, 'an object', value);
  }
}

/** An object with known fields only: a misspelt option must not be ignored. */
export function checkFields(
  field: string,
  value: unknown,
  known: ReadonlySet<string>,
): asserts value is object {
  checkObject(field, value);
  for (const key of Object.keys(value as object)) {
    if (!known.has(key)) {
      throw new InvalidOptionError(`${field}.${key.slice(0, 40)}`, `one of ${[...known].join(', ')}`, key);
    }
  }
}

/** A number of ms, fractions allowed; Infinity only when `max` is. */
export function checkTime(field: string, value: unknown, min: number, max = Infinity): number {
  if (typeof value !== 'number' || !(value >= min) || !(value <= max)) {
    throw new InvalidOptionError(field, `a number of ms from ${min} to ${max}`, value);
  }
  if (value !== Infinity && !(value <= MAX_TIMER_MS)) {
    throw new InvalidOptionError(field, `at most ${MAX_TIMER_MS} ms or Infinity`, value);
  }
  return value;
}

/** A whole number in [min, max]. */
export function checkWhole(field: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || !(value >= min) || !(value <= max)) {
    throw new InvalidOptionError(field, `a whole number from ${min} to ${max}`, value);
  }
  return value;
}

/** @throws InvalidOptionError */
export function checkBoolean(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new InvalidOptionError(field, 'true or false', value);
  return value;
}

/** @throws InvalidOptionError */
export function checkFunction<F>(field: string, value: F): F {
  if (typeof value !== 'function') throw new InvalidOptionError(field, 'a function', value);
  return value;
}

const CLOCK_METHODS = [
  'now',
  'wall',
  'setTimer',
  'clearTimer',
  'afterPoll',
  'random',
  'randomBytes',
] as const;

/** An object with all methods of a Clock. @throws InvalidOptionError */
export function checkClock(field: string, value: unknown): Clock {
  const clock = value as Partial<Clock> | null;
  const isClock =
    typeof clock === 'object' && CLOCK_METHODS.every((method) => typeof clock?.[method] === 'function');
  if (!isClock) throw new InvalidOptionError(field, `a Clock with ${CLOCK_METHODS.join(', ')}`, value);
  return clock as Clock;
}

function checkShare(field: string, value: unknown): number {
  if (typeof value !== 'number' || !(value > 0) || !(value <= 0.9)) {
    throw new InvalidOptionError(field, 'a number greater than 0 and at most 0.9', value);
  }
  return value;
}

function isAbortSignal(value: unknown): value is AbortSignal {
  return (
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    typeof (value as AbortSignal).addEventListener === 'function'
  );
}
