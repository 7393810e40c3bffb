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

interface LockKindTypes<L, O extends object> {
  /** What is injected. */
  readonly lock: L;
  /** The options of its registration. */
  readonly options: O;
}

/** Every kind of lock, under the name of the method of `Bedrock` that makes it. */
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

/** What a registration makes. */
export type LockKind = keyof LockKinds;

/** What is injected for a kind: `LockOf<'mutex'>` is `Mutex`. */
export type LockOf<K extends LockKind> = LockKinds[K]['lock'];

/** The options of a kind, without its name. */
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
  // What is left out without being registered, it refuses itself.
  semaphore: (bedrock, name, options) => bedrock.semaphore(name, options as SemaphoreOptions),
  countdownLatch: (bedrock, name, options) => bedrock.countdownLatch(name, options),
  countingSemaphore: (bedrock, name, options) => bedrock.countingSemaphore(name, options),
  expirableSemaphore: (bedrock, name, options) => bedrock.expirableSemaphore(name, options),
  leaderElection: (bedrock, name, options) => bedrock.leaderElection(name, options),
};

/** What a lock is, so that the errors about it can say so. */
export interface LockDefinition<K extends LockKind> {
  readonly kind: K;
  readonly name: string;
  readonly options?: LockOptionsOf<K> | undefined;
}

/** The lock of this name, made on the first call. @throws InvalidOptionError, UnsupportedByBackendError */
export function makeLock<K extends LockKind>(bedrock: Bedrock, definition: LockDefinition<K>): LockOf<K> {
  return FACTORIES[definition.kind](bedrock, definition.name, definition.options);
}

/** @throws InvalidOptionError naming `field`, with the kinds that there are */
export function checkKind(field: string, kind: unknown): LockKind {
  if (typeof kind === 'string' && Object.hasOwn(FACTORIES, kind)) return kind as LockKind;
  const requirement =
    kind === 'idempotency'
      ? 'a lock: idempotency has a list of its own, idempotency: [{ name }]'
      : `one of ${Object.keys(FACTORIES).join(', ')}`;
  throw new InvalidOptionError(field, requirement, kind);
}
