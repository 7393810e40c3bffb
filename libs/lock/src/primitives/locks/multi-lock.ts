import { checkFields, checkFunction } from '../../core/checks.js';
import { LockBusyError, LockSelfDeadlockError, LockWaitTimeoutError } from '../../core/errors.js';
import { callSettings, type CallOptions, type LockSettings } from '../../core/options/options.js';
import { withoutWaiting } from '../../core/options/wait-options.js';
import { Frame, frameOn, withFrames } from '../../engine/call-chain/frames.js';
import type { Lease } from '../../engine/holding/lease.js';
import { WaitBudget } from '../../engine/waiting/wait-budget.js';
import { hasEnded } from './acquirable.js';
import type { Lock } from './lock.js';
import { inFixedOrder } from './lock-order.js';
import { MultiLease } from './multi-lease.js';

/** Options of a multi-lock. They override those of each of its locks. */
export interface MultiLockOptions extends Omit<CallOptions, 'signal' | 'waitMs'> {
  /** Longest wait for all of them together, in ms. 0 tries once. @default the shortest `waitMs` of the locks */
  readonly waitMs?: number;
}

const FIELDS: ReadonlySet<string> = new Set<keyof MultiLockOptions>([
  'waitMs', 'leaseMs', 'renew', 'maxHoldMs', 'holdAtLeastMs', 'failFast',
]); // prettier-ignore

/** Most locks in one request: the server works on it in one go. */
const MAX_TOGETHER = 64;

/**
 * Several locks as one, of one Bedrock or of several: all of them are held, or none. They are taken
 * in a fixed order, so that two multi-locks never wait for each other. Where one request can decide
 * it, they are taken all at once. Registers nothing: make it once, or for every request. The same
 * lock twice counts once.
 * @throws InvalidOptionError naming `locks`, one of them, or the option
 */
export function multiLock(locks: readonly Lock[], options: MultiLockOptions = {}): MultiLock {
  return new MultiLock(inFixedOrder(locks), options);
}

/** All or none of several locks; see `multiLock()`. It holds no state of a caller. */
export class MultiLock {
  readonly #settings: readonly LockSettings[];

  /** @internal Multi-locks come from `multiLock()`. */
  constructor(
    /** Each once, in the order in which they are taken. */
    readonly locks: readonly Lock[],
    options: MultiLockOptions,
  ) {
    checkFields('options', options, FIELDS);
    this.#settings = locks.map((lock) => settingsFor(lock, lock.settings, options));
  }

  /** The locked resources, in the order of locking. */
  get resources(): readonly string[] {
    return this.locks.map(({ resource }) => resource);
  }

  /**
   * Runs `fn` while all locks are held and returns its result. Inside, a `run` on one of the locks
   * enters at once, as does a `run` of another multi-lock that includes one. So does this `run` on
   * locks that its call chain already holds.
   * @throws the errors of `fn` and of `acquire()`; LockLostError instead of a success when one of
   * the leases was lost
   */
  async run<T>(fn: (lease: MultiLease) => T | Promise<T>, options?: CallOptions): Promise<T> {
    checkFunction('fn', fn);
    const frames = await this.#enter(this.#settingsOf(options), options?.signal);
    const lease = this.#leaseOn(frames);
    let result: T;
    try {
      result = await withFrames(frames, () => fn(lease));
    } catch (error) {
      await leave(frames);
      throw error;
    } finally {
      lease.stopListening();
    }
    const lost = await leave(frames);
    if (lost !== undefined) throw lost.lossError();
    return result;
  }

  /**
   * Waits for all locks and gives a lease on them that the caller owns. On failure none is held:
   * the errors are those of the lock that could not be acquired, which `resource` names.
   * @throws LockWaitTimeoutError, LockBusyError (waitMs 0), LockAbortedError, QueueFullError,
   * BackendUnavailableError, LockClosedError, InvalidOptionError, LockTypeMismatchError;
   * LockLostError when one was lost again before the others were granted, and no time is left;
   * LockSelfDeadlockError under a `run` on one of them
   */
  async acquire(options?: CallOptions): Promise<MultiLease> {
    const settings = this.#settingsOf(options);
    const own = this.locks.find(isHeldByThisChain);
    if (own !== undefined) throw new LockSelfDeadlockError(own.resource);
    return this.#leaseOn(await this.#enter(settings, options?.signal));
  }

  /** Tries each once. Null when one is taken, also by this very call chain; other errors as `acquire()` throws them. */
  async tryAcquire(options?: Omit<CallOptions, 'waitMs'>): Promise<MultiLease | null> {
    const call = withoutWaiting<CallOptions>(options);
    const settings = this.#settingsOf(call);
    if (this.locks.some(isHeldByThisChain)) return null;
    try {
      return this.#leaseOn(await this.#enter(settings, call.signal));
    } catch (error) {
      if (error instanceof LockBusyError) return null;
      throw error;
    }
  }

  #settingsOf(options: CallOptions | undefined): readonly LockSettings[] {
    return this.locks.map((lock, i) => settingsFor(lock, this.#settings[i]!, options));
  }

  #leaseOn(frames: readonly Frame[]): MultiLease {
    return new MultiLease(this.locks.map((lock, i) => ({ lock, lease: frames[i]!.lease })));
  }

  async #enter(
    settings: readonly LockSettings[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Frame[]> {
    const budget = new WaitBudget(
      this.locks[0]!.engine.clock,
      Math.min(...settings.map(({ waitMs }) => waitMs)),
    );
    for (;;) {
      const frames = await this.#enterAll(settings, budget, signal);
      const ended = frames.find(({ lease }) => !lease.isHeld);
      if (ended === undefined) return frames;
      // It was lost while a later one was waited for: the work must not begin.
      const loss = ended.lease.lossError();
      undo(frames);
      if (budget.leftMs <= 0) throw loss;
    }
  }

  async #enterAll(
    settings: readonly LockSettings[],
    budget: WaitBudget,
    signal: AbortSignal | undefined,
  ): Promise<readonly Frame[]> {
    const frames: Frame[] = [];
    try {
      while (frames.length < this.locks.length)
        frames.push(...(await this.#enterNext(frames.length, settings, budget, signal)));
      return frames;
    } catch (error) {
      undo(frames);
      if (!(error instanceof LockWaitTimeoutError)) throw error;
      throw new LockWaitTimeoutError(error.resource, budget.waitedMs, error.holder, error.lack);
    }
  }

  /** Takes the lock at this place; and those behind it, where one request gets them. */
  async #enterNext(
    at: number,
    settings: readonly LockSettings[],
    budget: WaitBudget,
    signal: AbortSignal | undefined,
  ): Promise<readonly Frame[]> {
    const lock = this.locks[at]!;
    const waitMs = budget.leftMs;
    if (waitMs <= 0 && budget.waitMs > 0) throw new LockWaitTimeoutError(lock.resource, budget.waitedMs);
    const together = this.#together(at);
    if (together.length === 1) return [await lock.enter({ ...settings[at]!, waitMs }, signal)];
    const requests = together.map(({ resource }, i) => ({
      resource,
      settings: { ...settings[at + i]!, waitMs },
    }));
    const leases = await lock.engine.acquireTogether(requests, signal);
    return leases.map((lease) => Frame.root(lock.engine, lease));
  }

  /**
   * The lock at this place and those that may be asked for with it: the next in the order, on the
   * same engine. Any other would be waited for out of order.
   */
  #together(at: number): readonly Lock[] {
    const [first, ...later] = this.locks.slice(at, at + MAX_TOGETHER) as [Lock, ...Lock[]];
    if (isHeldByThisChain(first)) return [first];
    const end = later.findIndex((lock) => lock.engine !== first.engine || isHeldByThisChain(lock));
    return [first, ...(end < 0 ? later : later.slice(0, end))];
  }
}

function settingsFor(
  { engine }: Lock,
  settings: LockSettings,
  options: CallOptions | undefined,
): LockSettings {
  return callSettings(settings, options, engine.backend.traits, engine.backend.name);
}

function isHeldByThisChain({ engine, resource }: Lock): boolean {
  return frameOn(engine, resource) !== undefined;
}

/** Gives all back, the last first. No caller waits for it: an error must not come later than it has to. */
function undo(frames: readonly Frame[]): void {
  for (const frame of frames.toReversed()) void frame.close();
}

/** Leaves all, the last first; gives the lease of one that was lost. */
async function leave(frames: readonly Frame[]): Promise<Lease | undefined> {
  const outcomes = frames.toReversed().map(async (frame) => {
    const closing = frame.close();
    return (closing === undefined ? hasEnded(frame.lease) : (await closing) === 'lost')
      ? frame.lease
      : undefined;
  });
  const lost = await Promise.all(outcomes);
  return lost.find((lease) => lease !== undefined);
}
