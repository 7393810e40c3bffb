import { FAIR_MUTEX, MUTEX, type Shape } from './core/claim.js';
import { resolveBedrockSettings, type BedrockOptions } from './core/options/bedrock-options.js';
import { stayAlive } from './core/clock.js';
import { resolveElectionSettings, type LeaderElectionOptions } from './core/options/election-options.js';
import { InvalidOptionError, LockClosedError, UnsupportedByBackendError } from './core/errors.js';
import { EventHub, type LockEventName, type LockEvents } from './core/events.js';
import { resolveIdempotencySettings, type IdempotencyOptions } from './core/options/idempotency-options.js';
import { checkName } from './core/key.js';
import type { NodeView } from './core/ports/node.js';
import { publishNodeEvents } from './core/ports/node-events.js';
import { onePerProcess } from './runtime/one-per-process.js';
import { checkFields, checkObject, checkTime } from './core/checks.js';
import {
  resolveLockSettings,
  withDefaults,
  type LockOptions,
  type LockSettings,
} from './core/options/options.js';
import type { Backend, Traits } from './core/ports/ports.js';
import { resolveReadWriteSettings } from './core/options/read-write-options.js';
import { LockNameRegistry } from './runtime/collections/lock-name-registry.js';
import { resolveSemaphoreSettings, type SemaphoreOptions } from './core/options/semaphore-options.js';
import {
  resolvePermitSettings,
  resolveWaitSettings,
  type PermitOptions,
  type WaitOptions,
  type WaitSettings,
} from './core/options/wait-options.js';
import { CountingEngine } from './engine/counting/counting-engine.js';
import type { EngineStats } from './engine/locking/engine-stats.js';
import { LockEngine } from './engine/locking/lock-engine.js';
import { RecordEngine } from './engine/records/record-engine.js';
import { WaiterRegistry } from './engine/waiting/waiter-registry.js';
import { CountdownLatch } from './primitives/counting/countdown-latch.js';
import { CountingSemaphore } from './primitives/counting/counting-semaphore.js';
import { ExpirableSemaphore } from './primitives/counting/expirable-semaphore.js';
import { FairMutex } from './primitives/locks/fair-mutex.js';
import { Idempotency } from './primitives/idempotency/idempotency.js';
import { LeaderElection } from './primitives/election/leader-election.js';
import { Mutex } from './primitives/locks/mutex.js';
import { ReadWriteLock } from './primitives/locks/read-write-lock.js';
import { Semaphore } from './primitives/locks/semaphore.js';

const CLOSE_FIELDS: ReadonlySet<string> = new Set(['graceMs']);

/** The composition root: locks are created once here and used everywhere. One per backend and process. */
export class Bedrock implements AsyncDisposable {
  readonly backend: Backend;
  readonly prefix: string;
  readonly #engine: LockEngine;
  readonly #counting: CountingEngine;
  readonly #recording: RecordEngine | undefined;
  readonly #events = new EventHub((resource) => this.#originOf(resource));
  readonly #defaults: LockOptions;
  readonly #closeGraceMs: number;
  readonly #names = new LockNameRegistry();
  #closed: Promise<void> | undefined;

  /**
   * @throws InvalidOptionError naming the field; nothing is sent before the first lock is requested
   */
  constructor(options: BedrockOptions) {
    const { backend, prefix, defaults, closeGraceMs, clock, maxWaiters, quantum } =
      resolveBedrockSettings(options);
    if (backendsInUse.has(backend))
      throw new InvalidOptionError('backend', 'one that no other Bedrock uses', backend);
    this.backend = backend;
    this.prefix = prefix;
    this.#defaults = defaults;
    this.#closeGraceMs = closeGraceMs;
    const registry = new WaiterRegistry(clock, this.#events, maxWaiters);
    this.#engine = new LockEngine(backend, clock, registry, this.#events, quantum);
    this.#counting = new CountingEngine(backend, clock, registry, this.#events);
    const { records } = backend;
    this.#recording = records && new RecordEngine(backend, records, clock, this.#events);
    publishNodeEvents(backend.nodes, this.#events);
    backendsInUse.add(backend);
  }

  /** True from the first call of `close()` on. */
  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Resolves when the backend answers. @throws BackendUnavailableError with the reason */
  ready(): Promise<void> {
    return this.backend.ready();
  }

  /**
   * The lock of this name, created on the first call. Afterwards the same name gives the same
   * object.
   * @throws InvalidOptionError for a bad name or option, and for a name of another kind. Also for
   * options that differ from those of the first call
   */
  mutex(name: string, options: LockOptions = {}): Mutex {
    return this.#lock('mutex', name, options, MUTEX, Mutex);
  }

  /**
   * A mutex that serves its callers in order of arrival over all processes. As `mutex()` in all else.
   * @throws UnsupportedByBackendError where the backend cannot keep that order
   */
  fairMutex(name: string, options: LockOptions = {}): FairMutex {
    return this.#lock('fairMutex', name, options, FAIR_MUTEX, FairMutex);
  }

  /**
   * Many readers or one writer at a time; readers have no fencing tokens, whatever `fencing` says.
   * As `mutex()` in all else.
   * @throws UnsupportedByBackendError where the backend cannot let readers in beside each other
   */
  readWriteLock(name: string, options: LockOptions = {}): ReadWriteLock {
    return this.#leased('readWriteLock', name, options, resolveReadWriteSettings, ReadWriteLock);
  }

  /**
   * Permits of which each call takes one or several; they are leases, so those of a process that died come back. As
   * `mutex()` in all else.
   * @throws UnsupportedByBackendError where the backend cannot count permits
   */
  semaphore(name: string, options: SemaphoreOptions): Semaphore {
    return this.#leased('semaphore', name, options, resolveSemaphoreSettings, Semaphore);
  }

  /**
   * One leader among the processes that stand for the election of this name. As `mutex()` in all
   * else; a mutex of the same name on the backend is the same lock.
   */
  leaderElection(name: string, options: LeaderElectionOptions = {}): LeaderElection {
    return this.#leased('leaderElection', name, options, resolveElectionSettings, LeaderElection);
  }

  /**
   * A latch that callers wait at until a count is down to zero. As `mutex()` in all else.
   * @throws UnsupportedByBackendError where the backend has none
   */
  countdownLatch(name: string, options: WaitOptions = {}): CountdownLatch {
    return this.#counted('countdownLatch', name, options, resolveWaitSettings, CountdownLatch);
  }

  /**
   * Permits that are a plain number: a process that dies with some gives none back. Otherwise like
   * `mutex()`.
   * @throws UnsupportedByBackendError where the backend has none
   */
  countingSemaphore(name: string, options: WaitOptions = {}): CountingSemaphore {
    return this.#counted('countingSemaphore', name, options, resolveWaitSettings, CountingSemaphore);
  }

  /**
   * Permits with an id and a lease each, which any process may release and extend. As `mutex()` in all else.
   * @throws UnsupportedByBackendError where the backend has none
   */
  expirableSemaphore(name: string, options: PermitOptions = {}): ExpirableSemaphore {
    const { minLeaseMs } = this.backend.traits;
    const resolve = (given: PermitOptions, defaults: LockOptions) =>
      resolvePermitSettings(given, defaults, minLeaseMs);
    return this.#counted('expirableSemaphore', name, options, resolve, ExpirableSemaphore);
  }

  /**
   * Requests that run once under a key of theirs, and whose repetitions get the same result. As
   * `mutex()` in all else; it has no options in common with locks, so `defaults` do not touch it.
   * @throws UnsupportedByBackendError where the backend keeps no records
   */
  idempotency(name: string, options: IdempotencyOptions = {}): Idempotency {
    checkObject('options', options);
    const recording = this.#recording;
    if (recording === undefined) {
      const advice = 'take memory, Redis, MySQL or PostgreSQL';
      throw new UnsupportedByBackendError(this.backend.name, 'idempotency', advice);
    }
    const settings = () => resolveIdempotencySettings(options, this.backend.traits);
    return this.#getOrCreate('idempotency', name, options, settings, (resource, resolved) => {
      return new Idempotency(recording, name, resource, resolved);
    });
  }

  /** Listens to an event; gives back the unsubscription. Also on `diagnostics_channel`, as `bedrock:<event>`. */
  on<N extends LockEventName>(event: N, listener: (payload: LockEvents[N]) => void): () => void {
    return this.#events.on(event, listener);
  }

  /** The nodes of a combination, as this process sees them; empty where the backend is one place. */
  nodes(): readonly NodeView[] {
    return this.backend.nodes?.views() ?? [];
  }

  /** Figures of the moment. */
  stats(): EngineStats {
    const { watches, pendingWithdrawals, ...stats } = this.#engine.stats;
    return {
      ...stats,
      watches: watches + this.#counting.watches,
      pendingWithdrawals: pendingWithdrawals + this.#counting.operations.pending,
    };
  }

  /**
   * Stops granting, rejects waiters with `LockClosedError`, and waits for holders up to `graceMs`.
   * Then it withdraws the remaining claims (those leases are lost) and closes the backend. Every
   * call waits for the end of the first one.
   */
  async close(options: { readonly graceMs?: number } = {}): Promise<void> {
    checkFields('options', options, CLOSE_FIELDS);
    const { graceMs = this.#closeGraceMs } = options;
    checkTime('graceMs', graceMs, 0);
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  #lock<L>(
    kind: string,
    name: string,
    options: LockOptions,
    shape: Shape,
    Kind: new (engine: LockEngine, name: string, resource: string, settings: LockSettings) => L,
  ): L {
    const resolve: Resolve<LockOptions, LockSettings> = (given, defaults, traits, backend) =>
      resolveLockSettings(withDefaults(given, defaults), traits, backend, shape);
    return this.#leased(kind, name, options, resolve, Kind);
  }

  #leased<L, O extends object, T extends object>(
    kind: string,
    name: string,
    options: O,
    resolve: Resolve<O, T>,
    Kind: new (engine: LockEngine, name: string, resource: string, settings: T) => L,
  ): L {
    checkObject('options', options);
    const { traits, name: backend } = this.backend;
    const settings = (): T => resolve(options, this.#defaults, traits, backend);
    return this.#getOrCreate(kind, name, options, settings, (resource, resolved) => {
      return new Kind(this.#engine, name, resource, resolved);
    });
  }

  #counted<L, O extends WaitOptions, W extends WaitSettings>(
    kind: string,
    name: string,
    options: O,
    resolve: (options: O, defaults: LockOptions) => W,
    Kind: new (engine: CountingEngine, name: string, resource: string, settings: W) => L,
  ): L {
    const settings = (): W => resolve(options, this.#defaults);
    return this.#getOrCreate(kind, name, options, settings, (resource, resolved) => {
      return new Kind(this.#counting, name, resource, resolved);
    });
  }

  #originOf(resource: string | undefined) {
    const { name = '', kind = '' } = this.#names.originOf(resource?.slice(this.prefix.length) ?? '') ?? {};
    return { lock: name, kind, backend: this.backend.name };
  }

  /**
   * Creates each object once: the same name gives the same object, for the same kind and settings
   * alone.
   */
  #getOrCreate<L, S extends object>(
    kind: string,
    name: string,
    options: object,
    settings: () => S,
    create: (resource: string, settings: S) => L,
  ): L {
    if (this.isClosed) throw new LockClosedError();
    checkName('name', name);
    const given = settings();
    return this.#names.getOrCreate(kind, name, options, given, () => {
      return create(checkName('name', this.prefix + name), given);
    });
  }

  async #close(graceMs: number): Promise<void> {
    const letGo = stayAlive();
    const recorded = this.#recording?.close(graceMs);
    await this.#engine
      .close(graceMs)
      .finally(() => this.#counting.close())
      .finally(() => recorded)
      // Until now, a request in flight at the start may have left a record to remove.
      .finally(() => this.#recording?.stop())
      .finally(() => this.backend.close())
      .finally(letGo);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Checks the options of a kind, and completes them by the defaults of the Bedrock. */
type Resolve<O, T> = (options: O, defaults: LockOptions, traits: Traits, backend: string) => T;

/** Backends that serve a Bedrock: two on one would ask under the same claim ids and both be granted. */
const backendsInUse = onePerProcess('backends', () => new WeakSet<Backend>());
