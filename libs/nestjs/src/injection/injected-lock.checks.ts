import {
  CountdownLatch,
  CountingSemaphore,
  ExpirableSemaphore,
  FairMutex,
  Idempotency,
  InvalidOptionError,
  LeaderElection,
  Mutex,
  ReadWriteLock,
  Semaphore,
} from 'bedrock-lock';
import { injectedLocks } from './injected-lock.metadata.js';
import type { LockRegistry } from '../registry/lock.registry.js';

type LockClass = abstract new (...args: never[]) => object;

/** Other declared types are not checked: an interface, a base class, a test double. */
const CLASSES: ReadonlySet<unknown> = new Set<LockClass>([
  Mutex, FairMutex, ReadWriteLock, Semaphore, CountdownLatch, CountingSemaphore, ExpirableSemaphore, LeaderElection,
  Idempotency,
]); // prettier-ignore

/**
 * Compares the declared classes of `@InjectLock()` with the registered kinds: `run()` of a mutex and of a semaphore
 * look alike but differ in effect.
 * @throws InvalidOptionError naming the class
 */
export function checkInjectedLocks(prototype: object, registry: LockRegistry): void {
  checkInjected(prototype, registry);
  if (typeof prototype.constructor === 'function') checkInjected(prototype.constructor, registry);
}

function checkInjected(target: object, registry: LockRegistry): void {
  for (const injected of injectedLocks.of(target)) {
    const declared = injectedLocks.declared(target, injected);
    const registered = CLASSES.has(declared) ? registry.known(injected) : undefined;
    if (registered === undefined || registered.lock instanceof (declared as LockClass)) continue;
    const { name: owner } = typeof target === 'function' ? target : target.constructor;
    const requirement = `declared as ${registered.lock.constructor.name} in ${owner}, since "${injected.lock}" is a ${registered.kind}`;
    throw new InvalidOptionError('@InjectLock()', requirement, (declared as LockClass).name);
  }
}
