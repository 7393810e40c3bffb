import type {
  CallOptions,
  KeyPart,
  LockBusyError,
  LockLostError,
  LockWaitTimeoutError,
  QueueFullError,
} from 'bedrock-lock';
import type { LockMode } from '../core/lock-reference.js';

/** Errors that `onBusy` handles: the lock could not be acquired within the limits of its wait. */
export type NotGrantedError = LockBusyError | LockWaitTimeoutError | QueueFullError;

/** Kind of a decorated method's result. */
export type MethodResultKind = 'promise' | 'observable' | 'asyncIterator';

/** Returns the parts of a key from the call's arguments; `this` is the object. */
export type LockKeyFunction<A extends unknown[]> = (...args: A) => KeyPart | readonly KeyPart[];

/** Returns the keys, or their parts, of several entities, at least one; `this` is the object. */
export type LockKeysFunction<A extends unknown[]> = (...args: A) => readonly (KeyPart | readonly KeyPart[])[];

/**
 * How a method uses a lock of this kind. With a `kind`, the compiler reports missing options, and the start compares
 * the kind. Without it, the registered kind applies, and the start reports missing options.
 */
export type KindOptions =
  | { readonly kind?: undefined; readonly mode?: LockMode; readonly permits?: number }
  | { readonly kind: 'mutex' | 'fairMutex'; readonly mode?: never; readonly permits?: never }
  | {
      readonly kind: 'readWriteLock';
      /** Share the lock with other readers, or exclude all others. */
      readonly mode: LockMode;
      readonly permits?: never;
    }
  | {
      readonly kind: 'semaphore';
      readonly mode?: never;
      /** Permits per call, from 1 to those of the semaphore. @default 1 */
      readonly permits?: number;
    };

/** Options of `@DistributedLock()`. Times override the lock's own for calls of this method. */
export type DistributedLockOptions<A extends unknown[] = []> = MethodLockOptions<A> & KindOptions;

/** Options of `@DistributedLock()` for locks of any kind. */
export interface MethodLockOptions<A extends unknown[]> extends Omit<CallOptions, 'signal'> {
  /** Name of a registered lock. */
  readonly lock: string;
  /** Needed only if several backends register the same name. */
  readonly backend?: string;
  /**
   * Narrows the lock to one entity. A template over the arguments (`'{0.id}'`, `'{0.shop}:{1}'`, own properties only;
   * `:` separates parts), or a function of them.
   * @default the `@LockKey()` parameters; without those the whole lock
   */
  readonly key?: string | LockKeyFunction<A>;
  /**
   * Acquires the lock for several entities, as many as the arguments name (the items of an order). All or none, each
   * once, in the same order in every process. Replaces `key`.
   */
  readonly keys?: LockKeysFunction<A>;
  /**
   * When the lock could not be acquired: `'throw'` throws the error; `'skip'` skips the body, and the method returns
   * undefined (an Observable or iterator: nothing); a function provides the method's value. Then `waitMs` is 0 unless
   * set here.
   * Handles LOCK_BUSY, LOCK_WAIT_TIMEOUT and QUEUE_FULL of this very lock; never an unavailable backend, a lost lease,
   * or an error of the body. `'skip'` is refused on HTTP, message, WebSocket and GraphQL handlers.
   * @default 'throw'
   */
  readonly onBusy?: 'throw' | 'skip' | ((error: NotGrantedError, ...args: A) => unknown);
  /**
   * When the lease was lost while the body ran: `'throw'` throws `LockLostError` instead of a success; a function
   * provides the method's value. It is called after the body has ended; to stop the body early, watch
   * `currentLease()?.signal`.
   * Other errors of the body are thrown unchanged.
   * @default 'throw'
   */
  readonly onLost?: 'throw' | ((error: LockLostError, ...args: A) => unknown);
  /**
   * The result kind, if the declaration does not show it: async generators and a declared `Observable` are recognised.
   * @default 'promise'
   */
  readonly returns?: MethodResultKind;
}
