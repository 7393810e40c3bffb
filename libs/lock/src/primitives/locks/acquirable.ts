import type { ClaimView } from '../../core/claim.js';
import { checkFields, checkFunction, checkObject } from '../../core/checks.js';
import { InvalidOptionError, LockBusyError } from '../../core/errors.js';
import type { RequestVerb } from '../../core/events.js';
import { checkText, narrow } from '../../core/key.js';
import type { CallOptions, LockSettings } from '../../core/options/options.js';
import { Frame, withFrame } from '../../engine/call-chain/frames.js';
import type { Lease } from '../../engine/holding/lease.js';
import type { LockEngine } from '../../engine/locking/lock-engine.js';
import { asLockError } from '../../core/unavailable.js';

/** What may stand in a key: text, or what has one obvious text. */
export type KeyPart = string | number | bigint | boolean;

/** Whose grants an operator means. */
export interface RevokeOptions {
  /**
   * The claim id that `inspect()` showed: a lock that has changed hands since is left alone.
   * @default every holder
   */
  readonly holder?: string;
}

const REVOKE_FIELDS: ReadonlySet<string> = new Set<keyof RevokeOptions>(['holder']);

/** What callers get leases of: a lock, or permits of a semaphore. It holds no state of a caller. */
export abstract class Acquirable<C extends CallOptions = CallOptions> {
  /** @internal */ readonly engine: LockEngine;

  /** @internal They come from a `Bedrock`. */
  constructor(
    engine: LockEngine,
    /** The name it was created with. */
    readonly name: string,
    /** The locked resource: prefix, name and key parts. */
    readonly resource: string,
  ) {
    this.engine = engine;
  }

  /**
   * Narrows it to one entity: `orders.for(42)` locks `orders:42`. Registers nothing, so it may be called for every
   * request; parts are escaped, so different keys never meet.
   * @throws InvalidOptionError for a part that is empty, no text, or makes the name longer than 512 characters
   */
  abstract for(...key: [KeyPart, ...KeyPart[]]): Acquirable<C>;

  /**
   * Runs `fn` while it is held and gives back its result.
   * @throws what `fn` throws; the errors of `acquire()`; LockLostError instead of a success when the lease was lost
   */
  async run<T>(fn: (lease: Lease) => T | Promise<T>, options?: C): Promise<T> {
    checkFunction('fn', fn);
    const settings = this.settingsOf(options);
    const nested = this.enterNested(settings, options?.signal);
    // With every call of a process in an asynchronous context, each promise counts.
    const frame =
      nested === undefined
        ? Frame.root(this.engine, await this.engine.acquire(this.resource, settings, options?.signal))
        : await nested;
    // A listener of the grant closed the engine: the effects come one turn later.
    if (this.engine.registry.isClosed) await Promise.resolve();
    let result: T;
    try {
      // Lost between the grant and here, by a stalled event loop or a listener: the work must not begin.
      frame.lease.assertHeld();
      result = await withFrame(frame, () => fn(frame.lease));
    } catch (error) {
      await frame.close();
      throw error;
    }
    const closing = frame.close();
    if (closing === undefined ? hasEnded(frame.lease) : (await closing) === 'lost')
      throw frame.lease.lossError();
    return result;
  }

  /**
   * Waits, and returns a lease that the caller owns: `await using lease = await lock.acquire()`.
   * @throws LockWaitTimeoutError, LockBusyError (waitMs 0), LockAbortedError, QueueFullError,
   * BackendUnavailableError, LockClosedError, InvalidOptionError, LockTypeMismatchError;
   * LockSelfDeadlockError when this call chain would wait for a lock that its own `run` holds
   */
  acquire(options?: C): Promise<Lease> {
    let settings: LockSettings;
    try {
      settings = this.settingsOf(options);
      this.assertAcquirable(settings);
    } catch (error) {
      return rejection(error);
    }
    return this.engine.acquire(this.resource, settings, options?.signal);
  }

  /**
   * Tries once. Null when it is taken, also by this very call chain; other errors as `acquire()`
   * throws them. Settles within twice the backend's `operationTimeoutMs`.
   */
  async tryAcquire(options?: Omit<C, 'waitMs'>): Promise<Lease | null> {
    if (options !== undefined) checkObject('options', options);
    const { waitMs } = (options ?? {}) as CallOptions;
    if (waitMs !== undefined)
      throw new InvalidOptionError('waitMs', 'left out: tryAcquire() does not wait', waitMs);
    const call = { ...options, waitMs: 0 } as unknown as C;
    try {
      return await this.engine.acquire(this.resource, this.settingsOf(call), call.signal);
    } catch (error) {
      if (error instanceof LockBusyError) return null;
      throw error;
    }
  }

  /**
   * The holders, as the backend sees them, in no particular order. Empty when it is free.
   * @throws BackendUnavailableError
   */
  async inspect(): Promise<readonly ClaimView[]> {
    const { shape } = this.settingsOf(undefined);
    return this.#ask('inspect', (leases) => leases.inspect(this.resource, shape));
  }

  /**
   * Refuses renewals to the current holders: it is free when their leases end, within the promise of the library. A
   * foreign client (Redisson) goes on to renew. False when it was free, or not held by the given holder.
   * @throws BackendUnavailableError, InvalidOptionError
   */
  revoke(options?: RevokeOptions): Promise<boolean> {
    return this.#revoke('atExpiry', options);
  }

  /**
   * Frees the lock at once, outside the safety promise. The holders may still be working, and learn
   * of it a round trip later. For operators. False when it was free, or not held by the given holder.
   * @throws BackendUnavailableError, InvalidOptionError
   */
  forceRelease(options?: RevokeOptions): Promise<boolean> {
    return this.#revoke('now', options);
  }

  /** @internal The settings of one call. @throws InvalidOptionError */
  protected abstract settingsOf(options: C | undefined): LockSettings;

  /**
   * @internal What a `run` from within one's own gets instead of a turn like any other; undefined for such a turn.
   * @throws LockError
   */
  protected abstract enterNested(
    settings: LockSettings,
    signal: AbortSignal | undefined,
  ): Promise<Frame> | undefined;

  /**
   * @internal @throws LockSelfDeadlockError when this call chain would wait for a lock that its own
   * `run` holds
   */
  protected abstract assertAcquirable(settings: LockSettings): void;

  /** @internal The resource of one entity. @throws InvalidOptionError */
  protected narrowed(key: readonly KeyPart[]): string {
    return narrow(this.resource, key);
  }

  async #revoke(how: 'atExpiry' | 'now', options: RevokeOptions = {}): Promise<boolean> {
    checkFields('options', options, REVOKE_FIELDS);
    const { holder } = options;
    if (holder !== undefined) checkText('holder', holder);
    const { shape } = this.settingsOf(undefined);
    return this.#ask('revoke', (leases) => leases.revoke(this.resource, shape, how, holder));
  }

  async #ask<T>(
    verb: RequestVerb,
    question: (leases: LockEngine['backend']['leases']) => Promise<T>,
  ): Promise<T> {
    const { backend, requests } = this.engine;
    try {
      return await requests.observe(verb, this, question(backend.leases));
    } catch (error) {
      throw asLockError(error, backend.name, this.resource);
    }
  }
}

/** A frame that is not the last one does not release; it still must not report success for a lost lock. */
export function hasEnded(lease: Lease): boolean {
  return lease.isLost || (lease.ended === undefined && !lease.isHeld);
}

// `acquire()` itself is not async: that would cost every grant two more turns of the microtask queue.
async function rejection(error: unknown): Promise<never> {
  throw error;
}
