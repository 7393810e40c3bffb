import { MUTEX, READERS, type Shape } from '../claim.js';
import { checkBoolean, checkFields, checkShare, checkSignal, checkTime, checkWhole } from '../checks.js';
import { MAX_TIMER_MS } from '../clock.js';
import { InvalidOptionError, UnsupportedByBackendError } from '../errors.js';
import type { Traits } from '../ports/ports.js';
import { resolveSpin, type SpinOptions, type SpinSettings } from './spin.js';

/** Options of one lock, set where it is created. */
export interface LockOptions {
  /**
   * Life of the grant without a sign of its holder, in whole ms within the backend's bounds.
   * @default 30000, or the backend's longest
   */
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
  /**
   * Keep others out at least this long after the grant, in whole ms, even after a release
   * (scheduled jobs). @default 0
   */
  readonly holdAtLeastMs?: number;
  /** Reject at once when the backend is unavailable, instead of retrying until `waitMs`. @default false */
  readonly failFast?: boolean;
  /**
   * A waiting head polls at least this often, in ms, beside its subscription. Without it a wake or
   * the sweep (every 0.6 to 0.9 s) makes it ask. @default undefined
   */
  readonly pollMs?: number;
  /**
   * A waiting head asks again and again, after pauses that grow, and subscribes to nothing: for
   * holders that do not publish their release, and for holds shorter than a message takes. Not
   * together with `pollMs`. @default false
   */
  readonly spin?: boolean | SpinOptions;
  /** Callers that may wait for one resource in this process; the next gets a `QueueFullError`. @default 10000 */
  readonly maxWaiters?: number;
}

/** Options of one call; they override those of the lock. */
export interface CallOptions extends Pick<
  LockOptions,
  'waitMs' | 'leaseMs' | 'renew' | 'maxHoldMs' | 'holdAtLeastMs' | 'failFast'
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
export interface LockSettings {
  /** What a claim with these settings asks for. */
  readonly shape: Shape;
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
  readonly pollMs: number;
  /** Undefined for a lock that subscribes. */
  readonly spin: SpinSettings | undefined;
  readonly maxWaiters: number;
}

/** The names of the options of a lock. */
export const LOCK_FIELDS: ReadonlySet<string> = new Set<keyof LockOptions>([
  'leaseMs', 'renew', 'renewAt', 'maxHoldMs', 'waitMs', 'fencing', 'reentrant', 'holdAtLeastMs', 'failFast', 'pollMs', 'spin',
  'maxWaiters',
]); // prettier-ignore
/** The names of the options of a call. */
export const CALL_FIELDS: ReadonlySet<string> = new Set<keyof CallOptions>([
  'waitMs', 'leaseMs', 'renew', 'maxHoldMs', 'holdAtLeastMs', 'failFast', 'signal',
]); // prettier-ignore

/** An option that is undefined is one that was not given. */
export function withDefaults<O extends LockOptions>(options: O, defaults: LockOptions): O {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(given) as O) };
}

/** Checks and completes the options of a lock. @throws InvalidOptionError, UnsupportedByBackendError */
export function resolveLockSettings(
  options: LockOptions,
  traits: Traits,
  backend: string,
  shape: Shape = MUTEX,
): LockSettings {
  checkShape(shape, traits, backend);
  checkFields('options', options, LOCK_FIELDS);
  // Defaults stand in for undefined alone: null is a mistake.
  const {
    leaseMs = Math.min(30_000, traits.maxLeaseMs),
    renew = true,
    renewAt = 1 / 3,
    maxHoldMs = Infinity,
    waitMs = 5_000,
    fencing = traits.fencing && shape.mode === 'exclusive',
    reentrant = true,
    holdAtLeastMs = 0,
    failFast = false,
    pollMs,
    spin = false,
    maxWaiters = 10_000,
  } = options;
  const settings: LockSettings = Object.freeze({
    shape,
    leaseMs: checkLease(leaseMs, traits),
    renew: checkBoolean('renew', renew),
    renewAt: checkShare('renewAt', renewAt),
    maxHoldMs: checkTime('maxHoldMs', maxHoldMs, 1),
    waitMs: checkTime('waitMs', waitMs, 0),
    fencing: checkBoolean('fencing', fencing),
    reentrant: checkBoolean('reentrant', reentrant),
    holdAtLeastMs: checkHoldAtLeast(holdAtLeastMs, traits, backend),
    failFast: checkBoolean('failFast', failFast),
    pollMs: pollMs === undefined ? Infinity : checkTime('pollMs', pollMs, 1, MAX_TIMER_MS),
    spin: resolveSpin(spin),
    maxWaiters: checkWhole('maxWaiters', maxWaiters, 1, 10_000_000),
  });
  checkTogether(settings, options, traits, backend);
  return settings;
}

/** @throws InvalidOptionError, UnsupportedByBackendError for options that do not go together */
function checkTogether(
  { fencing, shape, spin }: LockSettings,
  { pollMs, spin: given }: LockOptions,
  traits: Traits,
  backend: string,
): void {
  if (fencing && shape.mode === 'shared') {
    throw new InvalidOptionError('fencing', 'left out: holders of a shared lock have no order', true);
  }
  if (spin !== undefined && pollMs !== undefined) {
    throw new InvalidOptionError(
      'spin',
      'left out, or false, where pollMs is set: both say when to ask again',
      given,
    );
  }
  if (fencing && !traits.fencing) {
    throw new UnsupportedByBackendError(
      backend,
      'fencing tokens',
      'set fencing: false or take another backend',
    );
  }
}

/**
 * Checks the time promised beyond the release, in whole ms. @throws InvalidOptionError,
 * UnsupportedByBackendError
 */
export function checkHoldAtLeast(
  value: unknown,
  { holdAtLeast, maxLeaseMs }: Traits,
  backend: string,
): number {
  assertNotLonger('holdAtLeastMs', value, maxLeaseMs);
  const holdAtLeastMs = checkWhole('holdAtLeastMs', value, 0, maxLeaseMs);
  if (holdAtLeastMs === 0 || holdAtLeast) return holdAtLeastMs;
  const advice = 'its locks end with the session; take a lease backend';
  throw new UnsupportedByBackendError(backend, 'holdAtLeastMs', advice);
}

/** The life of a lease, in whole ms. @throws InvalidOptionError */
export function checkLease(value: unknown, { minLeaseMs, maxLeaseMs }: Traits): number {
  assertNotLonger('leaseMs', value, maxLeaseMs);
  return checkWhole('leaseMs', value, minLeaseMs, maxLeaseMs);
}

/** @throws InvalidOptionError with the option that allows it */
function assertNotLonger(field: string, value: unknown, maxLeaseMs: number): void {
  if (!Number.isInteger(value) || (value as number) <= maxLeaseMs) return;
  const requirement = `at most ${maxLeaseMs}, the backend's maxLeaseMs: raise that option where it may be longer`;
  throw new InvalidOptionError(field, requirement, value);
}

function checkShape({ order, mode, capacity }: Shape, traits: Traits, backend: string): void {
  const lacks = (feature: string): Error =>
    new UnsupportedByBackendError(backend, feature, 'use a mutex, or another backend');
  if (order === 'fifo' && !traits.fifo) throw lacks('grants in order of arrival');
  if (capacity === READERS && !traits.shared) throw lacks('read-write locks');
  if (mode === 'shared' && capacity < READERS && !traits.weighted) throw lacks('semaphores');
}

/**
 * Applies the options of one call. Gives back `settings` itself when nothing changes: the hot path
 * allocates nothing.
 */
export function callSettings(
  settings: LockSettings,
  call: CallOptions | undefined,
  traits: Traits,
  backend: string,
): LockSettings {
  if (call === undefined) return settings;
  checkFields('options', call, CALL_FIELDS);
  checkSignal(call.signal);
  const { waitMs, leaseMs, renew, maxHoldMs, holdAtLeastMs, failFast } = call;
  if (
    waitMs === undefined &&
    leaseMs === undefined &&
    renew === undefined &&
    maxHoldMs === undefined &&
    holdAtLeastMs === undefined &&
    failFast === undefined
  ) {
    return settings;
  }
  return {
    ...settings,
    waitMs: waitMs === undefined ? settings.waitMs : checkTime('waitMs', waitMs, 0),
    leaseMs: leaseMs === undefined ? settings.leaseMs : checkLease(leaseMs, traits),
    renew: renew === undefined ? settings.renew : checkBoolean('renew', renew),
    maxHoldMs: maxHoldMs === undefined ? settings.maxHoldMs : checkTime('maxHoldMs', maxHoldMs, 1),
    holdAtLeastMs:
      holdAtLeastMs === undefined ? settings.holdAtLeastMs : checkHoldAtLeast(holdAtLeastMs, traits, backend),
    failFast: failFast === undefined ? settings.failFast : checkBoolean('failFast', failFast),
  };
}
