import { MAX_PERMITS, type Counter, type OperationId } from '../../core/ports/counting.js';
import { LockBusyError } from '../../core/errors.js';
import type { ReleaseOutcome } from '../../core/events.js';
import { narrow } from '../../core/key.js';
import { checkWhole } from '../../core/checks.js';
import type { CounterDriver } from '../../core/ports/ports.js';
import {
  withoutWaiting,
  callWaitSettings,
  type WaitCallOptions,
  type WaitSettings,
} from '../../core/options/wait-options.js';
import type { CountingEngine, CountStrategyFactory } from '../../engine/counting/counting-engine.js';
import type { CountQueues } from '../../engine/counting/count-queues.js';
import type { KeyPart } from '../locks/lock.js';

/** Most callers in one request: the server works on it in one go. */
const MAX_CALLERS_PER_REQUEST = 64;

interface CountSettings extends WaitSettings {
  readonly permits: number;
}

/** Permits are taken from one number, for callers in their order. */
const countingStrategy: CountStrategyFactory<CountSettings, void> = ({ counters }) => ({
  maxCallersPerRequest: MAX_CALLERS_PER_REQUEST,
  request: async (resource, callers, operation) => {
    const { served, free, retryInMs } = await counters.take(resource, callers.map(permitsOf), operation);
    const grants = callers.slice(0, served).map(() => undefined);
    return { grants, retryInMs, lack: `permits free when last asked: ${free}` };
  },
  watch: (resource, wake) => counters.watch(semaphore(resource), wake),
  compensation: {
    undo: (resource, callers, operation) => counters.undo(resource, callers.map(permitsOf), operation),
    giveBack: (resource, callers, operation) => {
      const permits = callers.reduce((sum, caller) => sum + caller.permits, 0);
      return counters.add(semaphore(resource), permits, operation);
    },
  },
});

/**
 * Permits that are a plain number, that belongs to no process: Redisson's `RSemaphore` on the wire.
 * A process that dies with permits gives none back; take a semaphore with leases where that
 * matters. Created once by `bedrock.countingSemaphore(name)`.
 */
export class CountingSemaphore {
  readonly #engine: CountingEngine;
  readonly #queues: CountQueues<CountSettings, void>;

  /** @internal Semaphores come from `bedrock.countingSemaphore()`. */
  constructor(
    engine: CountingEngine,
    /** The name it was created with. */
    readonly name: string,
    /** The counted resource: prefix, name and key parts. */
    readonly resource: string,
    /** Its options, complete and frozen. */
    readonly settings: WaitSettings,
  ) {
    this.#engine = engine;
    this.#queues = engine.queuesFor(countingStrategy);
  }

  /** The semaphore of one entity, as `Mutex.for()`. */
  for(...key: [KeyPart, ...KeyPart[]]): CountingSemaphore {
    return new CountingSemaphore(this.#engine, this.name, narrow(this.resource, key), this.settings);
  }

  /**
   * Sets the number of permits, from 1 to 2^31 - 1. False when the semaphore has some, free or taken, already.
   * @throws InvalidOptionError, BackendUnavailableError, LockTypeMismatchError, LockClosedError
   */
  async trySetPermits(permits: number): Promise<boolean> {
    checkWhole('permits', permits, 1, MAX_PERMITS);
    return this.#change((counters, operation) => counters.create(this.#counter, permits, operation));
  }

  /**
   * Waits for so many permits and takes them, all or none; callers of this process in the order of their arrival.
   * @throws LockWaitTimeoutError, LockBusyError (waitMs 0), LockAbortedError, QueueFullError, BackendUnavailableError,
   * LockClosedError, InvalidOptionError, LockTypeMismatchError
   */
  async acquire(permits = 1, options?: WaitCallOptions): Promise<void> {
    checkWhole('permits', permits, 1, MAX_PERMITS);
    const settings = { ...callWaitSettings(this.settings, options), permits };
    return this.#queues.wait(this.resource, settings, options?.signal);
  }

  /** Tries once. False when so many are not free, or a caller of this process waits already. @throws as `acquire()` */
  async tryAcquire(permits = 1, options?: Omit<WaitCallOptions, 'waitMs'>): Promise<boolean> {
    try {
      await this.acquire(permits, withoutWaiting<WaitCallOptions>(options));
      return true;
    } catch (error) {
      if (error instanceof LockBusyError) return false;
      throw error;
    }
  }

  /**
   * Gives permits back. The server does not check which caller took them. Settles within
   * `operationTimeoutMs`. `unconfirmed` when the backend did not answer: then the release is
   * repeated in the background until it does, for at most five minutes.
   * @throws InvalidOptionError, LockTypeMismatchError, LockClosedError
   */
  async release(permits = 1): Promise<Exclude<ReleaseOutcome, 'lost'>> {
    checkWhole('permits', permits, 1, MAX_PERMITS);
    const { operations, counters } = this.#engine;
    const free = await operations.repeatUntilTimeout(this.resource, (operation) =>
      counters.add(this.#counter, permits, operation),
    );
    return free === undefined ? 'unconfirmed' : 'released';
  }

  /** Permits that are free; 0 also for a semaphore that was never set. @throws BackendUnavailableError */
  availablePermits(): Promise<number> {
    return this.#engine.query(this.resource, () => this.#engine.counters.read(this.#counter));
  }

  /**
   * Grows the semaphore, or shrinks it by a negative number, and returns the free permits. The
   * result is negative when more are taken than the semaphore has left.
   * @throws as `trySetPermits()`
   */
  async addPermits(permits: number): Promise<number> {
    checkWhole('permits', permits, -MAX_PERMITS, MAX_PERMITS);
    return this.#change((counters, operation) => counters.add(this.#counter, permits, operation));
  }

  /** Takes all permits that are free, and gives their number. @throws as `trySetPermits()` */
  drainPermits(): Promise<number> {
    return this.#change((counters, operation) => counters.clear(this.#counter, operation));
  }

  get #counter(): Counter {
    return semaphore(this.resource);
  }

  #change<R>(act: (counters: CounterDriver, operation: OperationId) => Promise<R>): Promise<R> {
    const { counters } = this.#engine;
    return this.#engine.change(this.resource, this.settings, (operation) => act(counters, operation));
  }
}

function semaphore(resource: string): Counter {
  return { kind: 'semaphore', resource };
}

function permitsOf({ permits }: CountSettings): number {
  return permits;
}
