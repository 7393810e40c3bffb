import { Inject, Injectable } from '@nestjs/common';
import {
  InvalidOptionError,
  Lock,
  type Bedrock,
  type CountdownLatch,
  type CountingSemaphore,
  type ExpirableSemaphore,
  type FairMutex,
  type Idempotency,
  type IdempotencyOptions,
  type LeaderElection,
  type LeaderElectionOptions,
  type LockOptions,
  type Mutex,
  type PermitOptions,
  type ReadWriteLock,
  type Semaphore,
  type SemaphoreOptions,
  type WaitOptions,
} from 'bedrock-lock';
import { LockRegistry } from './lock.registry.js';
import { LOCK_REGISTRY, LOCKS } from '../core/lock.constants.js';
import { exposed } from './test.mode.js';

/** The locks of the application, for code that learns their names at run time. */
@Injectable()
export class BedrockService {
  readonly #registry: LockRegistry;

  /** @internal Nest creates it. */
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
   * A registered lock that is held as a whole. Locks of other kinds come from the methods of their kinds.
   * @param backend needed only if several backends register the same name
   * @throws InvalidOptionError if it is not registered, or of another kind
   */
  lock(name: string, backend?: string): Lock {
    const { kind, lock } = this.#registry.find({ lock: name, backend });
    if (lock instanceof Lock) return exposed(this.#registry, lock);
    throw new InvalidOptionError('lock', `requested with ${kind}('${name}'), since that is its kind`, name);
  }

  /**
   * A lock created at run time; afterwards the same name returns the same object. A registered name without options
   * returns the registered lock. Every name is kept: for one entity of many, use `mutex(name).for(id)`.
   * @throws InvalidOptionError for a bad name or option, for options that differ from the first call's, and for a name
   * of another kind
   */
  mutex(name: string, options?: LockOptions, backend?: string): Mutex {
    return this.#registry.make({ kind: 'mutex', name, options }, backend);
  }

  /** As `mutex()`. */
  fairMutex(name: string, options?: LockOptions, backend?: string): FairMutex {
    return this.#registry.make({ kind: 'fairMutex', name, options }, backend);
  }

  /** As `mutex()`. */
  readWriteLock(name: string, options?: LockOptions, backend?: string): ReadWriteLock {
    return this.#registry.make({ kind: 'readWriteLock', name, options }, backend);
  }

  /** As `mutex()`. The options may be omitted only for a registered semaphore. */
  semaphore(name: string, options?: SemaphoreOptions, backend?: string): Semaphore {
    return this.#registry.make({ kind: 'semaphore', name, options }, backend);
  }

  /** As `mutex()`. */
  countdownLatch(name: string, options?: WaitOptions, backend?: string): CountdownLatch {
    return this.#registry.make({ kind: 'countdownLatch', name, options }, backend);
  }

  /** As `mutex()`. */
  countingSemaphore(name: string, options?: WaitOptions, backend?: string): CountingSemaphore {
    return this.#registry.make({ kind: 'countingSemaphore', name, options }, backend);
  }

  /** As `mutex()`. */
  expirableSemaphore(name: string, options?: PermitOptions, backend?: string): ExpirableSemaphore {
    return this.#registry.make({ kind: 'expirableSemaphore', name, options }, backend);
  }

  /** As `mutex()`. */
  leaderElection(name: string, options?: LeaderElectionOptions, backend?: string): LeaderElection {
    return this.#registry.make({ kind: 'leaderElection', name, options }, backend);
  }

  /** As `mutex()`. */
  idempotency(name: string, options?: IdempotencyOptions, backend?: string): Idempotency {
    return this.#registry.makeIdempotency(name, options, backend);
  }

  /**
   * Enables the decorated methods of an object that Nest did not create, and returns it. The application binds objects
   * of `useValue` and `useFactory` providers at its start, except those of request-scoped factories.
   * @throws InvalidOptionError if it is not an object, or a frozen one
   */
  bind<T extends object>(instance: T): T {
    if (typeof instance !== 'object' || instance === null || !Object.isExtensible(instance)) {
      throw new InvalidOptionError('instance', 'an object that is not frozen', instance);
    }
    Object.defineProperty(instance, LOCKS, { value: this.#registry, writable: true, configurable: true });
    return instance;
  }
}
