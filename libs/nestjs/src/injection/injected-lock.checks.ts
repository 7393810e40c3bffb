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

/** What else is declared is not judged: an interface, a base class, a double of a test. */
const CLASSES: ReadonlySet<unknown> = new Set<LockClass>([
  Mutex, FairMutex, ReadWriteLock, Semaphore, CountdownLatch, CountingSemaphore, ExpirableSemaphore, LeaderElection,
  Idempotency,
]); // prettier-ignore

/**
 * Compares the classes that a class declares for its `@InjectLock()` with what is registered: `run()` of
 * a mutex and of a semaphore look the same, and do not the same.
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
