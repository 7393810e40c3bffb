import { Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  BackendUnavailableError,
  InvalidOptionError,
  isLockError,
  sleep,
  systemClock,
  type Bedrock,
  type Clock,
  type Idempotency,
  type IdempotencyOptions,
} from 'bedrock-lock';
import type {
  BedrockLockOptions,
  IdempotencyRegistration,
  LockRegistration,
} from '../options/bedrock-lock.options.js';
import { withErrorContext } from '../core/error-context.js';
import type { LockSpec } from '../options/lock-spec.js';
import { checkReference, acquirableOf, type BoundLock } from '../core/lock-reference.js';
import { makeLock, type LockKind, type LockOf, type LockDefinition } from '../core/lock.kind.js';
import { DEFAULT_BACKEND, LOG_CONTEXT } from '../core/lock.constants.js';
import { RegisteredNames } from './registered.names.js';
import { exposed } from './test.mode.js';

/** Pause between two tries to reach a backend that was not there at the start, in ms. */
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

/** What names a registered lock. */
export interface LockLookup {
  readonly lock: string;
  readonly backend?: string | undefined;
  /** What it should be registered as, for the message when it is not. */
  readonly kind?: LockKind | undefined;
}

// A name, so that a registry of a second copy of this package is known too; the double of a test has no such thing.
const REGISTRY = Symbol.for('BedrockLockModule: lock registry');

export function isLockRegistry(value: unknown): value is LockRegistry {
  return (value as { readonly [REGISTRY]?: unknown } | null | undefined)?.[REGISTRY] === true;
}

/** The Bedrocks of one application, one per backend, and the locks that were registered on them. */
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
  /** How long who holds or leads may take to finish when the application closes, in ms. */
  readonly graceMs: number;
  readonly #startDegraded: boolean;
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

  get backends(): readonly string[] {
    return [...this.#bedrocks.keys()];
  }

  /** @throws InvalidOptionError for a name that no backend has */
  bedrock(backend = DEFAULT_BACKEND): Bedrock {
    const bedrock = this.#bedrocks.get(backend);
    if (bedrock !== undefined) return bedrock;
    throw new InvalidOptionError('backend', `one of ${this.backends.join(', ')}`, backend);
  }

  /** The lock of a registration; the same for an equal one. @throws InvalidOptionError for another kind or other options */
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

  /** A lock made at run time; without options it may be a registered one. */
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

  /** @throws InvalidOptionError when it is not registered, or on several backends and none of them is named */
  find({ lock: name, kind, backend }: LockLookup): RegisteredLock {
    return this.#locks.find({ name, kind, backend });
  }

  /** As `find()`, and undefined where that throws. */
  known({ lock: name, backend }: LockLookup): RegisteredLock | undefined {
    return this.#locks.known({ name, backend });
  }

  /** As `find()`; what runs under it is recorded in tests. */
  idempotency(name: string, backend?: string): Idempotency {
    return exposed(this, this.#idempotencies.find({ name, backend }).idempotency);
  }

  /** What a decorated method holds; found and checked once. @throws InvalidOptionError as `find()` and `checkReference()` do */
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
   * Resolves when every backend answers; with `startDegraded` after one `operationTimeoutMs` for an answer and one for the rest,
   * and asks on.
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
        const advice = 'Start the server, mend what it says, or set startDegraded: true to start without it';
        this.#logger.error(`${facts}. ${advice}`);
        throw error;
      }
      this.#logger.warn(`${facts}. Its locks answer 503 until it is there (startDegraded)`);
      void this.#connectLater(name, bedrock);
    }
  }

  /**
   * `ready()` waits five times `operationTimeoutMs` for a server that is just starting. It runs here too, since it keeps the
   * process alive meanwhile.
   */
  async #readySoon(bedrock: Bedrock): Promise<void> {
    const { backend } = bedrock;
    const late = backend.ping().then(async () => {
      await sleep(this.clock, backend.operationTimeoutMs);
      throw new BackendUnavailableError(backend.name, 'it answers, and is not ready', 'no');
    });
    await Promise.race([bedrock.ready(), late]);
  }

  async #connectLater(name: string, bedrock: Bedrock): Promise<void> {
    const logged = new Set<string>();
    while (!bedrock.isClosed) {
      try {
        await bedrock.ready();
        this.#logger.log(`backend "${name}" (${bedrock.backend.name}) is there now`);
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
   * Before the servers close: they wait for their requests, and requests may be waiting here. After `onModuleDestroy` and
   * the `beforeApplicationShutdown` of all other modules, which may still need locks: `orderHooks()` sees to it.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await this.close();
  }

  /** Rejects waiters, gives holders their grace, closes the backends. */
  async close(options?: { readonly graceMs?: number }): Promise<void> {
    await Promise.all(this.#all().map((bedrock) => bedrock.close(options)));
  }

  #all(): readonly Bedrock[] {
    return [...this.#bedrocks.values()];
  }
}

function isOutage(error: unknown): error is Error {
  return isLockError(error) && error.code === 'BACKEND_UNAVAILABLE';
}
