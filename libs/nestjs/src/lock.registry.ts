import type { BeforeApplicationShutdown } from '@nestjs/common';
import {
  checkName,
  InvalidOptionError,
  systemClock,
  type Bedrock,
  type Clock,
  type LockOptions,
  type Mutex,
} from 'bedrock-lock';
import type { LockRegistration } from './bedrock-lock.options.js';
import { at } from './error.place.js';
import { DEFAULT_BACKEND } from './lock.tokens.js';

/** A registered lock and the name of its backend. */
export interface RegisteredLock {
  readonly lock: Mutex;
  readonly backend: string;
}

/** What names a registered lock. */
export interface LockReference {
  readonly lock: string;
  readonly backend?: string | undefined;
}

/** The Bedrocks of one application, one per backend, and the locks that were registered on them. */
export class LockRegistry implements BeforeApplicationShutdown {
  readonly #bedrocks: ReadonlyMap<string, Bedrock>;
  readonly #locks = new Map<string, RegisteredLock[]>();
  readonly #found = new WeakMap<LockReference, RegisteredLock>();

  constructor(
    bedrocks: ReadonlyMap<string, Bedrock>,
    readonly clock: Clock = systemClock,
  ) {
    this.#bedrocks = bedrocks;
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

  /** The lock of a registration; the same for an equal one. @throws InvalidOptionError for other options */
  register({ name, backend = DEFAULT_BACKEND, kind: _kind, ...options }: LockRegistration): Mutex {
    const lock = at(`lock "${name}"`, () => this.bedrock(backend).mutex(name, options));
    const known = this.#locks.get(name) ?? [];
    if (!known.some((one) => one.lock === lock)) this.#locks.set(name, [...known, { lock, backend }]);
    return lock;
  }

  /** A lock made at run time; without options it may be a registered one. */
  mutex(name: string, options?: LockOptions, backend = DEFAULT_BACKEND): Mutex {
    const known = this.#locks.get(name)?.find((one) => one.backend === backend);
    if (options === undefined && known !== undefined) return known.lock;
    return this.bedrock(backend).mutex(name, options);
  }

  /** @throws InvalidOptionError when it is not registered, or on several backends and none of them is named */
  find({ lock: name, backend }: LockReference): RegisteredLock {
    const known = this.#locks.get(checkName('lock', name)) ?? [];
    const found =
      backend === undefined && known.length === 1
        ? known[0]
        : known.find((one) => one.backend === (backend ?? DEFAULT_BACKEND));
    if (found !== undefined) return found;
    if (backend === undefined && known.length > 0) {
      const names = known.map((one) => one.backend).join(', ');
      throw new InvalidOptionError('backend', `given, since lock "${name}" is on ${names}`, backend);
    }
    const place = `{ name: '${name}'${backend === undefined ? '' : `, backend: '${backend}'`} }`;
    throw new InvalidOptionError(
      'lock',
      `registered: add ${place} to the locks of BedrockLockModule.forRoot(), forRootAsync() or forFeature()`,
      name,
    );
  }

  /** Like `find()`, for a reference that is asked for again and again. */
  recall(reference: LockReference): RegisteredLock {
    let found = this.#found.get(reference);
    if (found === undefined) {
      found = this.find(reference);
      this.#found.set(reference, found);
    }
    return found;
  }

  /** Resolves when every backend answers. @throws BackendUnavailableError */
  async ready(): Promise<void> {
    await Promise.all(this.#all().map((bedrock) => bedrock.ready()));
  }

  /**
   * Before the servers close: they wait for their requests, and requests may be waiting here. After `onModuleDestroy` and
   * the `beforeApplicationShutdown` of all other modules, which may still need locks: `startFirstAndEndLast()` sees to it.
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
