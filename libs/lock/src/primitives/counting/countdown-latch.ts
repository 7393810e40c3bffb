import { MAX_PERMITS, type Counter } from '../../core/ports/counting.js';
import { narrow } from '../../core/key.js';
import { checkWhole } from '../../core/checks.js';
import {
  callWaitSettings,
  type WaitCallOptions,
  type WaitSettings,
} from '../../core/options/wait-options.js';
import type { CountingEngine, CountStrategyFactory } from '../../engine/counting/counting-engine.js';
import type { CountQueues } from '../../engine/counting/count-queues.js';
import type { KeyPart } from '../locks/lock.js';

/** All callers are served when the count is zero; nothing is taken. */
const latchStrategy: CountStrategyFactory<WaitSettings, void> = ({ counters }) => ({
  maxCallersPerRequest: Infinity,
  request: async (resource, callers) => {
    const count = await counters.read(latch(resource));
    const grants = count > 0 ? [] : callers.map(() => undefined);
    return { grants, retryInMs: Infinity, lack: `count when last asked: ${count}` };
  },
  watch: (resource, wake) => counters.watch(latch(resource), wake),
});

/**
 * Callers wait until a count has reached zero, which any process may set and count down: Redisson's
 * `RCountDownLatch` on the wire. Created once by `bedrock.countdownLatch(name)` and used
 * everywhere.
 */
export class CountdownLatch {
  readonly #engine: CountingEngine;
  readonly #queues: CountQueues<WaitSettings, void>;

  /** @internal Latches come from `bedrock.countdownLatch()`. */
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
    this.#queues = engine.queuesFor(latchStrategy);
  }

  /**
   * The latch of one entity: `imports.for(42)` counts `imports:42`. Registers nothing.
   * @throws InvalidOptionError for a part that is empty, no text, or makes the name longer than 512 characters
   */
  for(...key: [KeyPart, ...KeyPart[]]): CountdownLatch {
    return new CountdownLatch(this.#engine, this.name, narrow(this.resource, key), this.settings);
  }

  /**
   * Sets the count, from 1 to 2^31 - 1. False when the latch is counting already; it goes on with its own count.
   * @throws InvalidOptionError, BackendUnavailableError, LockTypeMismatchError, LockClosedError
   */
  async trySetCount(count: number): Promise<boolean> {
    checkWhole('count', count, 1, MAX_PERMITS);
    return this.#engine.change(this.resource, this.settings, (operation) =>
      this.#engine.counters.create(latch(this.resource), count, operation),
    );
  }

  /**
   * Counts down by `n`, never below zero, and returns the remaining count. At zero all waiters of
   * all processes pass, and the name is free for a new count. A latch that is not counting stays
   * unchanged.
   * @throws as `trySetCount()`; after a BackendUnavailableError with `executed: 'unknown'` it may
   * have counted, once
   */
  async countDown(n = 1): Promise<number> {
    checkWhole('n', n, 1, MAX_PERMITS);
    return this.#engine.change(this.resource, this.settings, (operation) =>
      this.#engine.counters.add(latch(this.resource), -n, operation),
    );
  }

  /** The remaining count; 0 also for a latch that was never set. @throws BackendUnavailableError */
  getCount(): Promise<number> {
    return this.#engine.query(this.resource, () => this.#engine.counters.read(latch(this.resource)));
  }

  /**
   * Waits until the count is zero; a latch that was never set is at zero. Costs nothing while it waits, however many
   * callers of this process do.
   * @throws LockWaitTimeoutError, LockBusyError (waitMs 0), LockAbortedError, QueueFullError, BackendUnavailableError,
   * LockClosedError, InvalidOptionError, LockTypeMismatchError
   */
  async await(options?: WaitCallOptions): Promise<void> {
    return this.#queues.wait(this.resource, callWaitSettings(this.settings, options), options?.signal);
  }

  /** Ends the counting: all waiters pass. False when there was nothing to end. @throws as `trySetCount()` */
  async delete(): Promise<boolean> {
    const count = await this.#engine.change(this.resource, this.settings, (operation) =>
      this.#engine.counters.clear(latch(this.resource), operation),
    );
    return count > 0;
  }
}

function latch(resource: string): Counter {
  return { kind: 'latch', resource };
}
