import type { ClaimView } from '../core/claim.js';
import {
  InvalidOptionError,
  LockAbortedError,
  LockBusyError,
  LockNotHeldError,
  LockNotOwnerError,
  LockSelfDeadlockError,
  LockWaitTimeoutError,
} from '../core/errors.js';
import type { ReleaseOutcome } from '../core/events.js';
import { narrow } from '../core/key.js';
import {
  callTerms,
  checkFunction,
  checkObject,
  checkTime,
  type CallOptions,
  type Terms,
} from '../core/options.js';
import { untilEither } from '../engine/abort-listeners.js';
import { currentFlow } from '../engine/flow.js';
import { Frame, frameOn, withFrame } from '../engine/frames.js';
import type { Lease } from '../engine/lease.js';
import type { LockEngine } from '../engine/lock-engine.js';
import { asLockError } from '../engine/unavailable.js';

/** What may stand in a key: text, or what has one obvious text. */
export type KeyPart = string | number | bigint | boolean;

/**
 * A lock that one holder has at a time, over all processes that use the same backend.
 * Created once by `bedrock.mutex(name)` and used everywhere; it holds no state of a caller.
 */
export class Mutex {
  readonly #engine: LockEngine;

  /** @internal Mutexes come from `bedrock.mutex()`. */
  constructor(
    engine: LockEngine,
    /** The name it was created with. */
    readonly name: string,
    /** What is locked: prefix, name and key parts. */
    readonly resource: string,
    /** Its options, complete and frozen. */
    readonly terms: Terms,
  ) {
    this.#engine = engine;
  }

  /**
   * Narrows the lock to one entity: `orders.for(42)` locks `orders:42`. Registers nothing, so it may be called for every
   * request; parts are escaped, so different keys never meet.
   * @throws InvalidOptionError for a part that is empty, no text, or makes the name longer than 512 characters
   */
  for(...key: [KeyPart, ...KeyPart[]]): Mutex {
    if (key.length === 0) throw new InvalidOptionError('key', 'at least one part', undefined);
    return new Mutex(this.#engine, this.name, narrow(this.resource, key), this.terms);
  }

  /**
   * Runs `fn` while the lock is held and gives back its result. A nested `run` of the same call chain enters at once
   * (re-entrant); parallel branches of one hold take turns.
   * @throws what `fn` throws; the errors of `acquire()`; LockLostError instead of a success when the lease was lost
   */
  async run<T>(fn: (lease: Lease) => T | Promise<T>, options?: CallOptions): Promise<T> {
    checkFunction('fn', fn);
    const terms = this.#terms(options);
    // Not `#enter()`: with every call of a process in an asynchronous context, each promise counts.
    const frame =
      frameOn(this.#engine, this.resource) === undefined
        ? Frame.root(this.#engine, await this.#engine.acquire(this.resource, terms, options?.signal))
        : await this.#enter(terms, options?.signal);
    // Closed by a listener of the grant: what that ends, it ends a turn later.
    if (this.#engine.room.isClosed) await Promise.resolve();
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
   * Waits for the lock and gives a lease that the caller owns: `await using lease = await lock.acquire()`.
   * @throws LockWaitTimeoutError, LockBusyError (waitMs 0), LockAbortedError, QueueFullError, BackendUnavailableError,
   * LockClosedError, InvalidOptionError, LockTypeMismatchError; LockSelfDeadlockError under a `run` on the same resource
   */
  acquire(options?: CallOptions): Promise<Lease> {
    let terms: Terms;
    try {
      terms = this.#terms(options);
      if (frameOn(this.#engine, this.resource) !== undefined) throw new LockSelfDeadlockError(this.resource);
    } catch (error) {
      return rejection(error);
    }
    return this.#engine.acquire(this.resource, terms, options?.signal);
  }

  /**
   * Tries once. Null when the lock is taken, also by this very call chain; other errors as `acquire()` throws them.
   * Settles within twice the backend's `operationTimeoutMs`.
   */
  async tryAcquire(options?: Omit<CallOptions, 'waitMs'>): Promise<Lease | null> {
    if (options !== undefined) checkObject('options', options);
    if ((options as CallOptions | undefined)?.waitMs !== undefined) {
      throw new InvalidOptionError(
        'waitMs',
        'left out: tryAcquire() does not wait',
        (options as CallOptions).waitMs,
      );
    }
    const terms = this.#terms({ ...options, waitMs: 0 });
    try {
      return await this.#engine.acquire(this.resource, terms, options?.signal);
    } catch (error) {
      if (error instanceof LockBusyError) return null;
      throw error;
    }
  }

  /**
   * Locks for the current flow, as `java.util.concurrent.locks.Lock` does; each `lock()` needs its `unlock()`.
   * @throws LockFlowRequiredError outside of `runInFlow`; the errors of `acquire()`
   */
  async lock(options?: CallOptions): Promise<void> {
    const flow = currentFlow(this.resource);
    const terms = this.#terms(options);
    const frame = await untilEither(flow.signal, options?.signal, (signal) => this.#enter(terms, signal));
    if (flow.signal.aborted) {
      await frame.close();
      throw new LockAbortedError(this.resource, { cause: flow.signal.reason });
    }
    flow.push(this.#engine, frame);
  }

  /**
   * Like `lock()`, but false when it was not granted within `waitMs`.
   * @param waitMs 0 by default: tries once
   * @throws LockFlowRequiredError, InvalidOptionError; the other errors of `acquire()`
   */
  async tryLock(waitMs = 0): Promise<boolean> {
    checkTime('waitMs', waitMs, 0);
    try {
      await this.lock({ waitMs });
      return true;
    } catch (error) {
      if (error instanceof LockBusyError || error instanceof LockWaitTimeoutError) return false;
      throw error;
    }
  }

  /**
   * Undoes the last `lock()` of the flow; never closes a `run`.
   * @throws LockFlowRequiredError outside of `runInFlow`; LockNotHeldError when nobody here holds it, LockNotOwnerError when
   * another flow does; LockLostError when the lease had ended before
   */
  async unlock(): Promise<ReleaseOutcome> {
    const { resource } = this;
    const frame = currentFlow(resource).pop(this.#engine, resource);
    if (frame === undefined) {
      throw this.#engine.isHeldHere(resource)
        ? new LockNotOwnerError(resource)
        : new LockNotHeldError(resource);
    }
    const outcome = await frame.close();
    if (outcome === undefined ? hasEnded(frame.lease) : outcome === 'lost') throw frame.lease.lossError();
    return outcome ?? 'released';
  }

  /** True while a frame of this call chain holds the lock, by the clock. */
  get isHeldByCurrentFlow(): boolean {
    return frameOn(this.#engine, this.resource)?.lease.isHeld === true;
  }

  /** Open frames of this call chain's hold; 0 when it holds nothing. */
  get depth(): number {
    return frameOn(this.#engine, this.resource)?.depth ?? 0;
  }

  /** Who holds the lock, as the backend sees it. Empty when it is free. @throws BackendUnavailableError */
  async inspect(): Promise<readonly ClaimView[]> {
    return this.#ask((leases) => leases.inspect(this.resource));
  }

  /**
   * Refuses renewals to the present holder: the lock is free when its lease ends, within the promise of the library. A
   * foreign client (Redisson) goes on to renew. False when nobody held it. @throws BackendUnavailableError
   */
  async revoke(): Promise<boolean> {
    return this.#ask((leases) => leases.revoke(this.resource, 'atExpiry'));
  }

  /**
   * Frees the lock at once, outside the promise: the holder may still be at work, and learns of it a trip later. For
   * operators. False when nobody held it. @throws BackendUnavailableError
   */
  async forceRelease(): Promise<boolean> {
    return this.#ask((leases) => leases.revoke(this.resource, 'now'));
  }

  #terms(options: CallOptions | undefined): Terms {
    return callTerms(this.terms, options, this.#engine.backend.traits);
  }

  async #enter(terms: Terms, signal: AbortSignal | undefined): Promise<Frame> {
    if (signal?.aborted === true) throw new LockAbortedError(this.resource, { cause: signal.reason });
    const outer = frameOn(this.#engine, this.resource);
    if (outer !== undefined) {
      if (!terms.reentrant) throw new LockSelfDeadlockError(this.resource);
      const enteredAt = this.#engine.now();
      const turn = await outer.openChild(terms, signal);
      if (turn !== 'orphaned') return turn;
      // On to the ordinary queue, with what is left of the wait.
      const waitMs = Math.max(0, terms.waitMs - (this.#engine.now() - enteredAt));
      return this.#enter({ ...terms, waitMs }, signal);
    }
    return Frame.root(this.#engine, await this.#engine.acquire(this.resource, terms, signal));
  }

  async #ask<T>(question: (leases: LockEngine['backend']['leases']) => Promise<T>): Promise<T> {
    try {
      return await question(this.#engine.backend.leases);
    } catch (error) {
      throw asLockError(error, this.#engine.backend.name, this.resource);
    }
  }
}

// `acquire()` itself is not async: that would cost every grant two more turns of the microtask queue.
async function rejection(error: unknown): Promise<never> {
  throw error;
}

// A frame that is not the last one does not release; it still must not report success for a lost lock.
function hasEnded(lease: Lease): boolean {
  return lease.isLost || (lease.ended === undefined && !lease.isHeld);
}
