import { Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  BackendUnavailableError,
  InvalidOptionError,
  isLockError,
  type Bedrock,
  type Clock,
  type Idempotency,
  type IdempotencyOptions,
} from 'bedrock-lock';
import { sleep, systemClock } from 'bedrock-lock/integration';
import type {
  BedrockLockOptions,
  IdempotencyRegistration,
  LockRegistration,
  RunningTelemetry,
  Telemetry,
} from '../options/bedrock-lock.options.js';
import { withErrorContext } from '../core/error-context.js';
import type { LockSpec } from '../options/lock-spec.js';
import { checkReference, acquirableOf, type BoundLock } from '../core/lock-reference.js';
import { makeLock, type LockKind, type LockOf, type LockDefinition } from '../core/lock.kind.js';
import { DEFAULT_BACKEND, LOG_CONTEXT } from '../core/lock.constants.js';
import { RegisteredNames } from './registered.names.js';
import { exposed } from './test.mode.js';

/** Pause between attempts to reach a backend that was unavailable at the start, in ms. */
const RETRY_MS = 1_000;

/** A registered lock and the name of its backend. */
export interface RegisteredLock {
  readonly kind: LockKind;
  readonly lock: LockOf<LockKind>;
  readonly backend: string;
}

interface RegisteredIdempotency {
  readonly idempotency: Idempotency;
  readonly backend: string;
}

/** Identifies a registered lock. */
export interface LockLookup {
  readonly lock: string;
  readonly backend?: string | undefined;
  /** The expected kind, for the message if it differs. */
  readonly kind?: LockKind | undefined;
}

// A registered symbol, so that a registry of a second copy of this package is recognised; a test double lacks it.
const REGISTRY = Symbol.for('BedrockLockModule: lock registry');

export function isLockRegistry(value: unknown): value is LockRegistry {
  return (value as { readonly [REGISTRY]?: unknown } | null | undefined)?.[REGISTRY] === true;
}

/** The Bedrocks of one application, one per backend, and their registered locks. */
export class LockRegistry implements BeforeApplicationShutdown {
  readonly [REGISTRY] = true;
  readonly #bedrocks: ReadonlyMap<string, Bedrock>;
  readonly #locks = new RegisteredNames<RegisteredLock>({ option: 'lock', list: 'locks' });
  readonly #idempotencies = new RegisteredNames<RegisteredIdempotency>({
    option: 'idempotency',
    list: 'idempotency',
  });
  readonly #bound = new WeakMap<LockSpec, BoundLock>();
  readonly clock: Clock;
  /** How long holders and leaders may finish when the application closes, in ms. */
  readonly graceMs: number;
  readonly #startDegraded: boolean;
  readonly #telemetries: RunningTelemetry[] = [];
  readonly #logger = new Logger(LOG_CONTEXT);

  constructor(
    bedrocks: ReadonlyMap<string, Bedrock>,
    { clock = systemClock, shutdownGraceMs = 10_000, startDegraded = false }: BedrockLockOptions = {},
  ) {
    this.#bedrocks = bedrocks;
    this.clock = clock;
    this.graceMs = shutdownGraceMs;
    this.#startDegraded = startDegraded;
  }

  /** Has a Bedrock recorded until this registry closes. */
  async record(bedrock: Bedrock, telemetries: readonly Telemetry[]): Promise<void> {
    for (const telemetry of telemetries) {
      const running = (await telemetry.start(bedrock)) as Partial<RunningTelemetry> | undefined;
      if (typeof running?.stop !== 'function')
        throw new InvalidOptionError('telemetry', 'one whose start() gives { stop }', running);
      this.#telemetries.push(running as RunningTelemetry);
    }
  }

  /** Runs what acquires the locks of a decorated method, so that spans name the method. */
  inMethod<R>(method: string, fn: () => R): R {
    let run = fn;
    for (const telemetry of this.#telemetries) {
      const inner = run;
      if (telemetry.inMethod !== undefined) run = () => telemetry.inMethod!(method, inner);
    }
    return run();
  }

  get backends(): readonly string[] {
    return [...this.#bedrocks.keys()];
  }

  /** @throws InvalidOptionError for an unknown backend */
  bedrock(backend = DEFAULT_BACKEND): Bedrock {
    const bedrock = this.#bedrocks.get(backend);
    if (bedrock !== undefined) return bedrock;
    throw new InvalidOptionError('backend', `one of ${this.backends.join(', ')}`, backend);
  }

  /**
   * The lock of a registration; equal registrations share it.
   * @throws InvalidOptionError for another kind or other options
   */
  register(registration: LockRegistration): LockOf<LockKind> {
    const { name, backend = DEFAULT_BACKEND, kind = 'mutex', ...options } = registration;
    const lock = withErrorContext(`lock "${name}"`, () =>
      makeLock(this.bedrock(backend), { kind, name, options }),
    );
    this.#locks.add(name, { kind, lock, backend }, (one) => one.lock === lock);
    return lock;
  }

  /** As `register()`. */
  registerIdempotency({ name, backend = DEFAULT_BACKEND, ...options }: IdempotencyRegistration): Idempotency {
    const idempotency = withErrorContext(`idempotency "${name}"`, () =>
      this.bedrock(backend).idempotency(name, options),
    );
    this.#idempotencies.add(name, { idempotency, backend }, (one) => one.idempotency === idempotency);
    return idempotency;
  }

  /** A lock created at run time; without options it may be a registered one. */
  make<K extends LockKind>(definition: LockDefinition<K>, backend = DEFAULT_BACKEND): LockOf<K> {
    const known = this.#locks.on(definition.name, backend);
    const isRegistered = definition.options === undefined && known?.kind === definition.kind;
    return exposed(this, isRegistered ? known.lock : makeLock(this.bedrock(backend), definition));
  }

  /** As `make()`. */
  makeIdempotency(name: string, options?: IdempotencyOptions, backend = DEFAULT_BACKEND): Idempotency {
    const known = options === undefined ? this.#idempotencies.on(name, backend) : undefined;
    return exposed(this, known?.idempotency ?? this.bedrock(backend).idempotency(name, options));
  }

  /** @throws InvalidOptionError if it is not registered, or registered on several backends and none is named */
  find({ lock: name, kind, backend }: LockLookup): RegisteredLock {
    return this.#locks.find({ name, kind, backend });
  }

  /** As `find()`, but undefined instead of an error. */
  known({ lock: name, backend }: LockLookup): RegisteredLock | undefined {
    return this.#locks.known({ name, backend });
  }

  /** As `find()`. Tests record the requests that run under it. */
  idempotency(name: string, backend?: string): Idempotency {
    return exposed(this, this.#idempotencies.find({ name, backend }).idempotency);
  }

  /**
   * The lock that a decorated method holds; found and checked once.
   * @throws InvalidOptionError as `find()` and `checkReference()` do
   */
  boundLockOf(spec: LockSpec): BoundLock {
    let bound = this.#bound.get(spec);
    if (bound === undefined) {
      const { kind, lock, backend } = this.find(spec);
      checkReference(kind, spec);
      bound = { lock: acquirableOf(lock, spec), backend };
      this.#bound.set(spec, bound);
    }
    return bound;
  }

  /**
   * Resolves when every backend answers. With `startDegraded`, waits at most one `operationTimeoutMs` for the first
   * answer and one for the rest, and continues in the background.
   * @throws BackendUnavailableError
   */
  async ready(): Promise<void> {
    const pending = Array.from(this.#bedrocks, ([name, bedrock]) => this.#ready(name, bedrock));
    await Promise.all(pending);
  }

  async #ready(name: string, bedrock: Bedrock): Promise<void> {
    try {
      await (this.#startDegraded ? this.#readySoon(bedrock) : bedrock.ready());
    } catch (error) {
      if (!isOutage(error)) throw error;
      const facts = `backend "${name}": ${error.message}`;
      if (!this.#startDegraded) {
        const advice =
          'Start the server, fix the reported problem, or set startDegraded: true to start without it';
        this.#logger.error(`${facts}. ${advice}`);
        throw error;
      }
      this.#logger.warn(`${facts}. Its locks fail with 503 until it answers (startDegraded)`);
      void this.#connectLater(name, bedrock);
    }
  }

  /**
   * Waits for a ping, then for at most one `operationTimeoutMs`. `ready()` alone waits five times `operationTimeoutMs`
   * for a starting server. It runs here too, since it keeps the process alive in the meantime.
   */
  async #readySoon(bedrock: Bedrock): Promise<void> {
    const { backend } = bedrock;
    const late = backend.ping().then(async () => {
      await sleep(this.clock, backend.operationTimeoutMs);
      throw new BackendUnavailableError(backend.name, 'it answers but is not ready', 'no');
    });
    await Promise.race([bedrock.ready(), late]);
  }

  async #connectLater(name: string, bedrock: Bedrock): Promise<void> {
    const logged = new Set<string>();
    while (!bedrock.isClosed) {
      try {
        await bedrock.ready();
        this.#logger.log(`backend "${name}" (${bedrock.backend.name}) is available now`);
        return;
      } catch (error) {
        const message = `backend "${name}": ${(error as Error).message}`;
        // The start has logged the outage; a refusal needs the operator.
        if (!isOutage(error) && !logged.has(message)) this.#logger.error(message);
        logged.add(message);
        await sleep(this.clock, RETRY_MS);
      }
    }
  }

  /**
   * Runs before the servers close: they wait for their requests, which may in turn wait for locks. Runs after
   * `onModuleDestroy` and `beforeApplicationShutdown` of all other modules, which may still need locks: `orderHooks()`
   * ensures it.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await this.close();
  }

  /** Rejects waiters, gives holders their grace period, closes the backends. */
  async close(options?: { readonly graceMs?: number }): Promise<void> {
    try {
      await Promise.all(this.#all().map((bedrock) => bedrock.close(options)));
    } finally {
      for (const telemetry of this.#telemetries.splice(0)) this.#stop(telemetry);
    }
  }

  /** The locks are closed; nothing of telemetry must keep the application from its end. */
  #stop(telemetry: RunningTelemetry): void {
    try {
      telemetry.stop();
    } catch (error) {
      this.#logger.error('telemetry of locks failed at its end', (error as Error)?.stack);
    }
  }

  #all(): readonly Bedrock[] {
    return [...this.#bedrocks.values()];
  }
}

function isOutage(error: unknown): error is Error {
  return isLockError(error) && error.code === 'BACKEND_UNAVAILABLE';
}
