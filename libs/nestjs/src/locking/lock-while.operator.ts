import { InvalidOptionError, Semaphore, type CallOptions, type Acquirable } from 'bedrock-lock';
import { checkFields } from 'bedrock-lock/integration';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { checkCall } from '../options/lock-spec.js';
import { lockedObservable } from './locked.observable.js';

const FIELDS: ReadonlySet<string> = new Set<keyof CallOptions>([
  'waitMs', 'leaseMs', 'renew', 'maxHoldMs', 'holdAtLeastMs', 'failFast', 'signal',
]); // prettier-ignore
const SEMAPHORE_FIELDS: ReadonlySet<string> = new Set(['permits', ...FIELDS]);

/**
 * Subscribes to the source only while a lock, or permits of a semaphore, are held:
 * `orders$.pipe(lockWhile(lock.for(id)))`. Each subscription acquires them, and releases them on completion, error or
 * unsubscription, which also ends the wait.
 * The stream fails with the errors of `lock.run()`; a lost lease ends it with LockLostError at once.
 * @throws InvalidOptionError for a bad argument
 */
export function lockWhile<T, C extends CallOptions = CallOptions>(
  lock: Acquirable<C>,
  options?: C,
): MonoTypeOperatorFunction<T> {
  if (typeof lock?.run !== 'function') throw new InvalidOptionError('lock', 'a lock', lock);
  const given: CallOptions = options === undefined ? {} : options;
  checkFields('options', given, lock instanceof Semaphore ? SEMAPHORE_FIELDS : FIELDS);
  const call = checkCall(given);
  const { signal } = given;
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new InvalidOptionError('signal', 'an AbortSignal', signal);
  }
  return (source) =>
    lockedObservable(
      (body, unsubscribed) =>
        withEither(signal, unsubscribed, (either) =>
          lock.run((lease) => body([lease]), { ...call, signal: either } as C),
        ),
      () => source,
    );
}

/** Not AbortSignal.any: every subscription would leave an entry on a long-lived signal. */
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
