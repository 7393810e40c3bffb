import type { Clock } from '../../core/clock.js';
import { MAX_PERMITS, type PermitRequest } from '../../core/ports/counting.js';
import { InvalidOptionError, LockBusyError } from '../../core/errors.js';
import type { ReleaseOutcome } from '../../core/events.js';
import { narrow } from '../../core/key.js';
import { checkWhole } from '../../core/checks.js';
import {
  withoutWaiting,
  callPermitSettings,
  checkPermitLease,
  type PermitCallOptions,
  type PermitSettings,
} from '../../core/options/wait-options.js';
import type { CountingEngine, CountStrategyFactory } from '../../engine/counting/counting-engine.js';
import type { CountQueues } from '../../engine/counting/count-queues.js';
import type { KeyPart } from '../locks/lock.js';
import { Permit } from './permit.js';

/** Most callers in one request, and most permits of one caller: the server works on a request in one go. */
const MAX_CALLERS_PER_REQUEST = 16;
const MAX_PERMITS_PER_CALL = 1_000;
const ID_BYTES = 16;
const ID = /^[0-9a-f]{32}$/;

/** What a caller asks for. */
type PermitCall = PermitSettings & PermitRequest;

/**
 * Requests permits for callers in their order. Each caller learns when its request was sent, since
 * its leases count from there.
 */
const permitStrategy: CountStrategyFactory<PermitCall, number> = ({ permits, clock }) => ({
  maxCallersPerRequest: MAX_CALLERS_PER_REQUEST,
  request: async (resource, callers, operation) => {
    const sentAt = clock.now();
    const { served, free, retryInMs } = await permits.take(resource, callers, operation);
    const grants = callers.slice(0, served).map(() => sentAt);
    return { grants, retryInMs, lack: `permits free when last asked: ${free}` };
  },
  watch: (resource, wake) => permits.watch(resource, wake),
  compensation: {
    undo: (resource, callers, operation) => permits.release(resource, callers.flatMap(idsOf), operation),
    giveBack: (resource, callers, operation) => permits.release(resource, callers.flatMap(idsOf), operation),
  },
});

/**
 * Permits with an id and a lease each: Redisson's `RPermitExpirableSemaphore` on the wire. A permit
 * may be released and extended by any process that knows its id; one that is not is free again when
 * its lease has ended, and nothing renews it by itself. Created once by
 * `bedrock.expirableSemaphore(name)` and used everywhere.
 */
export class ExpirableSemaphore {
  readonly #engine: CountingEngine;
  readonly #queues: CountQueues<PermitCall, number>;

  /** @internal Semaphores come from `bedrock.expirableSemaphore()`. */
  constructor(
    engine: CountingEngine,
    /** The name it was created with. */
    readonly name: string,
    /** The counted resource: prefix, name and key parts. */
    readonly resource: string,
    /** Its options, complete and frozen. */
    readonly settings: PermitSettings,
  ) {
    this.#engine = engine;
    this.#queues = engine.queuesFor(permitStrategy);
  }

  /** The semaphore of one entity, as `Mutex.for()`. */
  for(...key: [KeyPart, ...KeyPart[]]): ExpirableSemaphore {
    return new ExpirableSemaphore(this.#engine, this.name, narrow(this.resource, key), this.settings);
  }

  /**
   * Sets the number of permits, from 1 to 2^31 - 1. False when the semaphore has some, free or taken, already.
   * @throws InvalidOptionError, BackendUnavailableError, LockTypeMismatchError, LockClosedError
   */
  async trySetPermits(permits: number): Promise<boolean> {
    checkWhole('permits', permits, 1, MAX_PERMITS);
    return this.#engine.change(this.resource, this.settings, (operation) =>
      this.#engine.permits.create(this.resource, permits, operation),
    );
  }

  /**
   * Waits for a permit; callers of this process in the order of their arrival.
   * @throws LockWaitTimeoutError, LockBusyError (waitMs 0), LockAbortedError, QueueFullError, BackendUnavailableError,
   * LockClosedError, InvalidOptionError, LockTypeMismatchError
   */
  async acquire(options?: PermitCallOptions): Promise<Permit> {
    const [permit] = await this.acquireMany(1, options);
    return permit!;
  }

  /** Waits for several permits, all or none, each with an id of its own: from 1 to 1000. @throws as `acquire()` */
  async acquireMany(permits: number, options?: PermitCallOptions): Promise<readonly Permit[]> {
    checkWhole('permits', permits, 1, MAX_PERMITS_PER_CALL);
    const settings = callPermitSettings(this.settings, options, this.#minLeaseMs);
    const { leaseMs } = settings;
    const ids = Array.from({ length: permits }, () => newId(this.#engine.clock));
    const sentAt = await this.#queues.wait(this.resource, { ...settings, ids }, options?.signal);
    return ids.map((id) => new Permit(this, this.#engine.clock, { id, leaseMs, sentAt }));
  }

  /** Tries once. Null when none is free, or a caller of this process waits already. @throws as `acquire()` */
  async tryAcquire(options?: Omit<PermitCallOptions, 'waitMs'>): Promise<Permit | null> {
    try {
      return await this.acquire(withoutWaiting<PermitCallOptions>(options));
    } catch (error) {
      if (error instanceof LockBusyError) return null;
      throw error;
    }
  }

  /**
   * Gives a permit back, in any process. `lost` when its lease had ended or it was released before;
   * `unconfirmed` when the backend did not answer within `operationTimeoutMs`: then it goes on in
   * the background until it does.
   * @throws InvalidOptionError, LockTypeMismatchError, LockClosedError
   */
  async release(id: string): Promise<ReleaseOutcome> {
    checkId(id);
    const { operations, permits } = this.#engine;
    const released = await operations.repeatUntilTimeout(this.resource, (operation) =>
      permits.release(this.resource, [id], operation),
    );
    if (released === undefined) return 'unconfirmed';
    return released > 0 ? 'released' : 'lost';
  }

  /**
   * Starts the lease of a permit anew, in any process: it ends `leaseMs` from now, be that later or
   * earlier than before. False when the permit has ended or was released. @throws as
   * `trySetPermits()`
   */
  async extend(id: string, leaseMs: number = this.settings.leaseMs): Promise<boolean> {
    checkId(id);
    checkPermitLease('leaseMs', leaseMs, this.#minLeaseMs);
    return this.#engine.change(this.resource, this.settings, (operation) =>
      this.#engine.permits.extend(this.resource, id, leaseMs, operation),
    );
  }

  /** Permits that are free; 0 also for a semaphore that was never set. @throws BackendUnavailableError */
  availablePermits(): Promise<number> {
    return this.#engine.query(this.resource, () => this.#engine.permits.available(this.resource));
  }

  get #minLeaseMs(): number {
    return this.#engine.backend.traits.minLeaseMs;
  }
}

function newId(clock: Clock): string {
  return Buffer.from(clock.randomBytes(ID_BYTES)).toString('hex');
}

function checkId(id: unknown): void {
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new InvalidOptionError('id', 'that of a permit: 32 hexadecimal digits', id);
  }
}

function idsOf({ ids }: PermitRequest): readonly string[] {
  return ids;
}
