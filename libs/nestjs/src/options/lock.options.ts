import type {
  CallOptions,
  KeyPart,
  LockBusyError,
  LockLostError,
  LockWaitTimeoutError,
  QueueFullError,
} from 'bedrock-lock';
import type { LockMode } from '../core/lock-reference.js';

/** What `onBusy` covers: the lock was not to be had, by the rules of its waiting. */
export type NotGrantedError = LockBusyError | LockWaitTimeoutError | QueueFullError;

/** What a decorated method gives back. */
export type MethodResultKind = 'promise' | 'observable' | 'asyncIterator';

/** Gives the parts of a key from the arguments of the call; `this` is the object. */
export type LockKeyFunction<A extends unknown[]> = (...args: A) => KeyPart | readonly KeyPart[];

/** Gives the key, or the parts of the key, of each of several entities, at least one; `this` is the object. */
export type LockKeysFunction<A extends unknown[]> = (...args: A) => readonly (KeyPart | readonly KeyPart[])[];

/**
 * What a method does with a lock of this kind. Without a `kind` it is the one that the lock is registered as, and the start
 * tells what is missing; with one the compiler does, and the start compares.
 */
type KindOptions =
  | { readonly kind?: undefined; readonly mode?: LockMode; readonly permits?: number }
  | { readonly kind: 'mutex' | 'fairMutex'; readonly mode?: never; readonly permits?: never }
  | {
      readonly kind: 'readWriteLock';
      /** Beside all who read, or alone. */
      readonly mode: LockMode;
      readonly permits?: never;
    }
  | {
      readonly kind: 'semaphore';
      readonly mode?: never;
      /** How many permits a call takes, from 1 to those of the semaphore. @default 1 */
      readonly permits?: number;
    };

/** Options of `@DistributedLock()`. Those of time override the lock's own for calls of this method. */
export type DistributedLockOptions<A extends unknown[] = []> = MethodLockOptions<A> & KindOptions;

interface MethodLockOptions<A extends unknown[]> extends Omit<CallOptions, 'signal'> {
  /** Name of a lock that the module registers. */
  readonly lock: string;
  /** Needed only where the same name is registered on several backends. */
  readonly backend?: string;
  /**
   * Narrows the lock to one entity. A template over the arguments (`'{0.id}'`, `'{0.shop}:{1}'`, own properties only; `:`
   * separates parts), or a function of them. Without it the `@LockKey()` parameters; without those the whole lock.
   */
  readonly key?: string | LockKeyFunction<A>;
  /**
   * Takes the lock for several entities, as many as the arguments say (the goods of an order): all or none, each once, in an
   * order that is the same in every process. Instead of `key`.
   */
  readonly keys?: LockKeysFunction<A>;
  /**
   * When the lock is not to be had: `'throw'` the error; `'skip'` the body, the method gives undefined (an Observable or
   * iterator: nothing); or a function whose value is the method's. Then `waitMs` is 0 unless set here. It covers
   * LOCK_BUSY, LOCK_WAIT_TIMEOUT and QUEUE_FULL of this very lock; never an unavailable backend, a loss, or an error of
   * the body. `'skip'` is refused on HTTP, message, WebSocket and GraphQL handlers. @default 'throw'
   */
  readonly onBusy?: 'throw' | 'skip' | ((error: NotGrantedError, ...args: A) => unknown);
  /**
   * When the lease was lost while the body ran: `'throw'` the `LockLostError` instead of a success, or a function whose
   * value is the method's. Called when the body has ended; to stop the body early, watch `currentLease()?.signal`. Other
   * errors of the body are thrown as they are. @default 'throw'
   */
  readonly onLost?: 'throw' | ((error: LockLostError, ...args: A) => unknown);
  /**
   * What the method returns, where its declaration does not tell: async generators and a declared `Observable` are
   * recognised. @default 'promise'
   */
  readonly returns?: MethodResultKind;
}
