import { MAX_TIMER_MS, type Clock } from './clock.js';
import { InvalidOptionError } from './errors.js';
import { suspendAware, type SuspendAwareClock } from './suspend-aware-clock.js';

/** Checks for an object that is not an array. @throws InvalidOptionError */
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

/** One of a few words. @throws InvalidOptionError naming them */
export function checkOneOf(field: string, value: unknown, allowed: readonly string[]): void {
  if (!allowed.includes(value as string))
    throw new InvalidOptionError(field, allowed.map((one) => `'${one}'`).join(' or '), value);
}

/** @throws InvalidOptionError */
export function checkFunction<F>(field: string, value: F): F {
  if (typeof value !== 'function') throw new InvalidOptionError(field, 'a function', value);
  return value;
}

/** @throws InvalidOptionError */
export function checkPromise(field: string, value: unknown): PromiseLike<unknown> {
  const isObject = typeof value === 'object' && value !== null;
  const then: unknown = isObject ? (value as { readonly then?: unknown }).then : undefined;
  if (typeof then !== 'function') throw new InvalidOptionError(field, 'a promise', value);
  return value as PromiseLike<unknown>;
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

/** An object with all methods of a Clock; given back as one that counts sleep. @throws InvalidOptionError */
export function checkClock(field: string, value: unknown): SuspendAwareClock {
  const clock = value as Partial<Clock> | null;
  const isClock =
    typeof clock === 'object' && CLOCK_METHODS.every((method) => typeof clock?.[method] === 'function');
  if (!isClock) throw new InvalidOptionError(field, `a Clock with ${CLOCK_METHODS.join(', ')}`, value);
  return suspendAware(clock as Clock);
}

/** A share of something, not the whole. @throws InvalidOptionError */
export function checkShare(field: string, value: unknown): number {
  if (typeof value !== 'number' || !(value > 0) || !(value <= 0.9)) {
    throw new InvalidOptionError(field, 'a number greater than 0 and at most 0.9', value);
  }
  return value;
}

/** An AbortSignal, or undefined. @throws InvalidOptionError */
export function checkSignal(signal: unknown): void {
  const isSignal =
    typeof signal === 'object' &&
    signal !== null &&
    'aborted' in signal &&
    typeof (signal as AbortSignal).addEventListener === 'function';
  if (signal !== undefined && !isSignal) throw new InvalidOptionError('signal', 'an AbortSignal', signal);
}
