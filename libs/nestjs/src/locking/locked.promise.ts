import { Logger } from '@nestjs/common';
import { InvalidOptionError } from 'bedrock-lock';
import { isObservable, ReplaySubject, type Observable } from 'rxjs';
import { holdLocks, type LockedCall } from './hold-locks.js';
import { LOG_CONTEXT } from '../core/lock.constants.js';

const warned = new Set<string>();

/**
 * Runs a method while the locks are held, until its result has settled. An Observable is not expected here. It is
 * drained under the locks and returned as one that repeats its values, since the caller may subscribe at any time.
 * @param label the method, for messages
 */
export function lockedPromise(label: string, call: LockedCall, body: () => unknown): Promise<unknown> {
  return holdLocks(call, async () => {
    const returned = body();
    if (isIterator(returned)) {
      // The iterator would run after the release, and the caller expects an iterator, not a promise of one.
      throw new InvalidOptionError(
        `returns of ${label}`,
        "'asyncIterator' for a method that returns one",
        undefined,
      );
    }
    const result = await returned;
    return isObservable(result) ? collect(label, result) : result;
  });
}

function collect(label: string, source: Observable<unknown>): Promise<Observable<unknown>> {
  if (!warned.has(label)) {
    warned.add(label);
    new Logger(LOG_CONTEXT).warn(
      `${label} returned an Observable without declaring it: the lock was held until it completed, and ` +
        "its values were emitted only then; declare the return type Observable, or set returns: 'observable'",
    );
  }
  return new Promise((resolve) => {
    const values = new ReplaySubject<unknown>();
    source.subscribe(values);
    values.subscribe({ error: () => resolve(values), complete: () => resolve(values) });
  });
}

function isIterator(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Symbol.asyncIterator in value &&
    'next' in value &&
    typeof value.next === 'function'
  );
}
