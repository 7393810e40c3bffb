import { MAX_TIMER_MS } from '../clock.js';
import { InvalidOptionError } from '../errors.js';
import { checkBoolean, checkFields, checkObject, checkSignal, checkTime, checkWhole } from '../checks.js';
import type { LockOptions } from './options.js';

/** Options of latches and semaphores, set where they are created. */
export interface WaitOptions {
  /**
   * Longest wait of a call, in ms: for its turn, and for a backend that does not answer. 0 tries
   * once. @default 5000
   */
  readonly waitMs?: number;
  /** Reject at once when the backend is unavailable, instead of asking again until `waitMs`. @default false */
  readonly failFast?: boolean;
  /** Callers that may wait for one resource in this process; the next gets a `QueueFullError`. @default 10000 */
  readonly maxWaiters?: number;
}

/** Options of one call that waits; they override those of the latch or semaphore. */
export interface WaitCallOptions extends Pick<WaitOptions, 'waitMs' | 'failFast'> {
  /** Aborts the wait. An already aborted signal rejects before anything is sent. */
  readonly signal?: AbortSignal;
}

/** The resolved, checked and frozen options. */
export interface WaitSettings {
  readonly waitMs: number;
  readonly failFast: boolean;
  readonly maxWaiters: number;
}

/** Options of a semaphore whose permits have leases. */
export interface PermitOptions extends WaitOptions {
  /** Life of a permit, in whole ms; nothing renews it. Infinity keeps it until it is released. @default 30000 */
  readonly leaseMs?: number;
}

/** Options of one call for permits. */
export interface PermitCallOptions extends WaitCallOptions, Pick<PermitOptions, 'leaseMs'> {}

/** The resolved, checked and frozen options. */
export interface PermitSettings extends WaitSettings {
  readonly leaseMs: number;
}

const FIELDS: ReadonlySet<string> = new Set<keyof WaitOptions>(['waitMs', 'failFast', 'maxWaiters']);
const CALL_FIELDS: ReadonlySet<string> = new Set<keyof WaitCallOptions>(['waitMs', 'failFast', 'signal']);
const PERMIT_FIELDS: ReadonlySet<string> = new Set([...FIELDS, 'leaseMs']);
const PERMIT_CALL_FIELDS: ReadonlySet<string> = new Set([...CALL_FIELDS, 'leaseMs']);

/** Checks and completes the options; `defaults` are those of the Bedrock. @throws InvalidOptionError */
export function resolveWaitSettings(options: WaitOptions, defaults: LockOptions): WaitSettings {
  checkFields('options', options, FIELDS);
  return Object.freeze(waitSettings(options, defaults));
}

/** As `resolveWaitSettings()`, with the life of a permit. */
export function resolvePermitSettings(
  options: PermitOptions,
  defaults: LockOptions,
  minLeaseMs: number,
): PermitSettings {
  checkFields('options', options, PERMIT_FIELDS);
  const { leaseMs = defaults.leaseMs ?? 30_000 } = options;
  return Object.freeze({
    ...waitSettings(options, defaults),
    leaseMs: checkPermitLease('leaseMs', leaseMs, minLeaseMs),
  });
}

/** Applies the options of one call. @throws InvalidOptionError */
export function callWaitSettings<W extends WaitSettings>(settings: W, call: WaitCallOptions | undefined): W {
  if (call === undefined) return settings;
  checkFields('options', call, CALL_FIELDS);
  return withCallOptions(settings, call);
}

/** As `callWaitSettings()`, with the life of a permit. */
export function callPermitSettings(
  settings: PermitSettings,
  call: PermitCallOptions | undefined,
  minLeaseMs: number,
): PermitSettings {
  if (call === undefined) return settings;
  checkFields('options', call, PERMIT_CALL_FIELDS);
  const { leaseMs = settings.leaseMs } = call;
  return { ...withCallOptions(settings, call), leaseMs: checkPermitLease('leaseMs', leaseMs, minLeaseMs) };
}

/** Whole ms, or Infinity. */
export function checkPermitLease(field: string, value: unknown, minLeaseMs: number): number {
  return value === Infinity ? Infinity : checkWhole(field, value, minLeaseMs, MAX_TIMER_MS);
}

/** Options of a call that must not wait. @throws InvalidOptionError */
export function withoutWaiting<C extends WaitCallOptions>(call: Omit<C, 'waitMs'> | undefined): C {
  if (call === undefined) return { waitMs: 0 } as C;
  checkObject('options', call);
  const { waitMs } = call as WaitCallOptions;
  if (waitMs !== undefined) throw new InvalidOptionError('waitMs', 'left out: a try does not wait', waitMs);
  return { ...call, waitMs: 0 } as C;
}

function waitSettings(options: WaitOptions, defaults: LockOptions): WaitSettings {
  const {
    waitMs = defaults.waitMs ?? 5_000,
    failFast = defaults.failFast ?? false,
    maxWaiters = defaults.maxWaiters ?? 10_000,
  } = options;
  return {
    waitMs: checkTime('waitMs', waitMs, 0),
    failFast: checkBoolean('failFast', failFast),
    maxWaiters: checkWhole('maxWaiters', maxWaiters, 1, 10_000_000),
  };
}

function withCallOptions<W extends WaitSettings>(settings: W, call: WaitCallOptions): W {
  checkSignal(call.signal);
  const { waitMs = settings.waitMs, failFast = settings.failFast } = call;
  return {
    ...settings,
    waitMs: checkTime('waitMs', waitMs, 0),
    failFast: checkBoolean('failFast', failFast),
  };
}
