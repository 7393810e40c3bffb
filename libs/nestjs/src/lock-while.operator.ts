import { checkFields, InvalidOptionError, type CallOptions, type Mutex } from 'bedrock-lock';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { checkCall } from './lock-spec.js';
import { lockedObservable } from './locked.observable.js';

const FIELDS: ReadonlySet<string> = new Set<keyof CallOptions>([
  'waitMs', 'leaseMs', 'renew', 'maxHoldMs', 'failFast', 'signal',
]); // prettier-ignore

/**
 * Subscribes to the source only while the lock is held: `orders$.pipe(lockWhile(lock.for(id)))`. The lock is taken for
 * each subscription and given back on completion, error or unsubscription, which also ends the wait. The stream fails with
 * the errors of `lock.run()`; a loss ends it with LockLostError at once.
 * @throws InvalidOptionError for a bad argument
 */
export function lockWhile<T>(lock: Mutex, options: CallOptions = {}): MonoTypeOperatorFunction<T> {
  if (typeof lock?.run !== 'function') throw new InvalidOptionError('lock', 'a lock', lock);
  checkFields('options', options, FIELDS);
  const call = checkCall(options);
  const { signal } = options;
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new InvalidOptionError('signal', 'an AbortSignal', signal);
  }
  return (source) =>
    lockedObservable(
      (body, unsubscribed) =>
        withEither(signal, unsubscribed, (either) =>
          lock.run((lease) => body([lease]), { ...call, signal: either }),
        ),
      () => source,
    );
}

/** Not AbortSignal.any: it would keep something on a long-lived signal for every subscription. */
async function withEither<T>(
  signal: AbortSignal | undefined,
  other: AbortSignal,
  act: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal === undefined) return act(other);
  const either = new AbortController();
  const over = new AbortController();
  for (const one of [signal, other]) {
    if (one.aborted) either.abort(one.reason);
    else one.addEventListener('abort', () => either.abort(one.reason), { signal: over.signal });
  }
  try {
    return await act(either.signal);
  } finally {
    over.abort();
  }
}
