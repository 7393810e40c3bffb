import { Inject, Injectable } from '@nestjs/common';
import { InvalidOptionError, type Bedrock, type LockOptions, type Mutex } from 'bedrock-lock';
import { LockRegistry } from './lock.registry.js';
import { LOCK_REGISTRY, LOCKS } from './lock.tokens.js';

/** The locks of the application, for code that does not know them when it is written. */
@Injectable()
export class BedrockService {
  readonly #registry: LockRegistry;

  /** @internal Nest makes it. */
  constructor(@Inject(LOCK_REGISTRY) registry: LockRegistry) {
    this.#registry = registry;
  }

  /** Names of the backends. */
  get backends(): readonly string[] {
    return this.#registry.backends;
  }

  /** The Bedrock of a backend: events, statistics, locks. @throws InvalidOptionError for an unknown backend */
  bedrock(backend?: string): Bedrock {
    return this.#registry.bedrock(backend);
  }

  /**
   * A registered lock.
   * @param backend only needed where the same name is registered on several backends
   * @throws InvalidOptionError when it is not registered
   */
  lock(name: string, backend?: string): Mutex {
    return this.#registry.find({ lock: name, backend }).lock;
  }

  /**
   * A lock made at run time; afterwards the same name gives the same object. A registered name without options gives
   * the registered lock. Every name is kept: for one entity of many use `lock(name).for(id)`.
   * @throws InvalidOptionError for a bad name or option, and for options that differ from those it was created with
   */
  mutex(name: string, options?: LockOptions, backend?: string): Mutex {
    return this.#registry.mutex(name, options, backend);
  }

  /**
   * Lets the decorated methods of an object work that Nest did not make, and gives it back. Objects of `useValue` and
   * `useFactory` providers are bound when the application starts, request-scoped factories excepted.
   * @throws InvalidOptionError for what is no object, or one that is frozen
   */
  bind<T extends object>(instance: T): T {
    if (typeof instance !== 'object' || instance === null || !Object.isExtensible(instance)) {
      throw new InvalidOptionError('instance', 'an object that is not frozen', instance);
    }
    Object.defineProperty(instance, LOCKS, { value: this.#registry, writable: true, configurable: true });
    return instance;
  }
}
