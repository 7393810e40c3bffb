import { Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  checkName,
  InvalidOptionError,
  isLockError,
  sleep,
  systemClock,
  type Bedrock,
  type Clock,
} from 'bedrock-lock';
import type { BedrockLockOptions, LockRegistration } from './bedrock-lock.options.js';
import { at } from './error.place.js';
import type { LockSpec } from './lock-spec.js';
import { checkUse, partOf, type HeldLock } from './lock.use.js';
import { makeLock, type LockKind, type LockOf, type LockPlan } from './lock.kind.js';
import { DEFAULT_BACKEND, LOG_CONTEXT } from './lock.tokens.js';

/** Pause between two tries to reach a backend that was not there at the start, in ms. */
const RETRY_MS = 1_000;

/** A registered lock and the name of its backend. */
export interface RegisteredLock {
  readonly kind: LockKind;
  readonly lock: LockOf<LockKind>;
  readonly backend: string;
}

/** What names a registered lock. */
export interface LockReference {
  readonly lock: string;
  readonly backend?: string | undefined;
  /** What it should be registered as, for the message when it is not. */
  readonly kind?: LockKind | undefined;
}

/** The Bedrocks of one application, one per backend, and the locks that were registered on them. */
export class LockRegistry implements BeforeApplicationShutdown {
  readonly #bedrocks: ReadonlyMap<string, Bedrock>;
  readonly #locks = new Map<string, RegisteredLock[]>();
  readonly #held = new WeakMap<LockSpec, HeldLock>();
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
    const lock = at(`lock "${name}"`, () => makeLock(this.bedrock(backend), { kind, name, options }));
    const known = this.#locks.get(name) ?? [];
    if (!known.some((one) => one.lock === lock)) this.#locks.set(name, [...known, { kind, lock, backend }]);
    return lock;
  }

  /** A lock made at run time; without options it may be a registered one. */
  make<K extends LockKind>(plan: LockPlan<K>, backend = DEFAULT_BACKEND): LockOf<K> {
    const known = this.#locks.get(plan.name)?.find((one) => one.backend === backend);
    const isRegistered = plan.options === undefined && known?.kind === plan.kind;
    return isRegistered ? known.lock : makeLock(this.bedrock(backend), plan);
  }

  /** @throws InvalidOptionError when it is not registered, or on several backends and none of them is named */
  find({ lock: name, backend, kind }: LockReference): RegisteredLock {
    checkName('lock', name);
    const found = this.known({ lock: name, backend });
    if (found !== undefined) return found;
    const known = this.#locks.get(name) ?? [];
    if (backend === undefined && known.length > 0) {
      const names = known.map((one) => one.backend).join(', ');
      throw new InvalidOptionError('backend', `given, since lock "${name}" is on ${names}`, backend);
    }
    const fields = Object.entries({ name, kind, backend }).filter(([, value]) => value !== undefined);
    const place = `{ ${fields.map(([field, value]) => `${field}: '${value}'`).join(', ')} }`;
    throw new InvalidOptionError(
      'lock',
      `registered: add ${place} to the locks of BedrockLockModule.forRoot(), forRootAsync() or forFeature()`,
      name,
    );
  }

  /** As `find()`, and undefined where that throws. */
  known({ lock, backend }: LockReference): RegisteredLock | undefined {
    const known = this.#locks.get(lock) ?? [];
    if (backend === undefined && known.length === 1) return known[0];
    return known.find((one) => one.backend === (backend ?? DEFAULT_BACKEND));
  }

  /** What a decorated method holds; found and checked once. @throws InvalidOptionError as `find()` and `checkUse()` do */
  heldBy(spec: LockSpec): HeldLock {
    let held = this.#held.get(spec);
    if (held === undefined) {
      const { kind, lock, backend } = this.find(spec);
      checkUse(kind, spec);
      const { name: backendKind } = this.bedrock(backend).backend;
      held = { lock: partOf(lock, spec), backend, backendKind };
      this.#held.set(spec, held);
    }
    return held;
  }

  /**
   * Resolves when every backend answers; with `startDegraded` at once, and asks on.
   * @throws BackendUnavailableError
   */
  async ready(): Promise<void> {
    const asked = Array.from(this.#bedrocks, ([name, bedrock]) => this.#ready(name, bedrock));
    await Promise.all(asked);
  }

  async #ready(name: string, bedrock: Bedrock): Promise<void> {
    try {
      await bedrock.ready();
    } catch (error) {
      if (!isLockError(error) || error.code !== 'BACKEND_UNAVAILABLE') throw error;
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

  async #connectLater(name: string, bedrock: Bedrock): Promise<void> {
    while (!bedrock.isClosed) {
      try {
        await bedrock.ready();
        this.#logger.log(`backend "${name}" (${bedrock.backend.name}) is there now`);
        return;
      } catch {
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
