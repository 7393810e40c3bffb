import {
  InvalidOptionError,
  type Bedrock,
  type CountdownLatch,
  type CountingSemaphore,
  type ExpirableSemaphore,
  type FairMutex,
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

/** The lock of a kind with its options. */
export interface LockKindTypes<L, O extends object> {
  /** Class of the injected lock. */
  readonly lock: L;
  /** Options of the registration. */
  readonly options: O;
}

/** Every kind of lock, by the name of the `Bedrock` method that creates it. */
export interface LockKinds {
  readonly mutex: LockKindTypes<Mutex, LockOptions>;
  readonly fairMutex: LockKindTypes<FairMutex, LockOptions>;
  readonly readWriteLock: LockKindTypes<ReadWriteLock, LockOptions>;
  readonly semaphore: LockKindTypes<Semaphore, SemaphoreOptions>;
  readonly countdownLatch: LockKindTypes<CountdownLatch, WaitOptions>;
  readonly countingSemaphore: LockKindTypes<CountingSemaphore, WaitOptions>;
  readonly expirableSemaphore: LockKindTypes<ExpirableSemaphore, PermitOptions>;
  readonly leaderElection: LockKindTypes<LeaderElection, LeaderElectionOptions>;
}

/** Kind of a registered lock. */
export type LockKind = keyof LockKinds;

/** The class that is injected for a kind: `LockOf<'mutex'>` is `Mutex`. */
export type LockOf<K extends LockKind> = LockKinds[K]['lock'];

/** The options of a kind, without the name. */
export type LockOptionsOf<K extends LockKind> = LockKinds[K]['options'];

type LockFactory<K extends LockKind> = (
  bedrock: Bedrock,
  name: string,
  options?: LockOptionsOf<K>,
) => LockOf<K>;

const FACTORIES: { readonly [K in LockKind]: LockFactory<K> } = {
  mutex: (bedrock, name, options) => bedrock.mutex(name, options),
  fairMutex: (bedrock, name, options) => bedrock.fairMutex(name, options),
  readWriteLock: (bedrock, name, options) => bedrock.readWriteLock(name, options),
  // `semaphore()` itself rejects missing options of an unregistered name.
  semaphore: (bedrock, name, options) => bedrock.semaphore(name, options as SemaphoreOptions),
  countdownLatch: (bedrock, name, options) => bedrock.countdownLatch(name, options),
  countingSemaphore: (bedrock, name, options) => bedrock.countingSemaphore(name, options),
  expirableSemaphore: (bedrock, name, options) => bedrock.expirableSemaphore(name, options),
  leaderElection: (bedrock, name, options) => bedrock.leaderElection(name, options),
};

/** A lock's kind, name and options, so that errors can name them. */
export interface LockDefinition<K extends LockKind> {
  readonly kind: K;
  readonly name: string;
  readonly options?: LockOptionsOf<K> | undefined;
}

/** The lock of this name, created on the first call. @throws InvalidOptionError, UnsupportedByBackendError */
export function makeLock<K extends LockKind>(bedrock: Bedrock, definition: LockDefinition<K>): LockOf<K> {
  return FACTORIES[definition.kind](bedrock, definition.name, definition.options);
}

/** @throws InvalidOptionError naming `field` and listing the kinds */
export function checkKind(field: string, kind: unknown): LockKind {
  if (typeof kind === 'string' && Object.hasOwn(FACTORIES, kind)) return kind as LockKind;
  const requirement =
    kind === 'idempotency'
      ? 'a lock: idempotency has a list of its own, idempotency: [{ name }]'
      : `one of ${Object.keys(FACTORIES).join(', ')}`;
  throw new InvalidOptionError(field, requirement, kind);
}
