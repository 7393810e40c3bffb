/** For applications: Bedrock, its primitives with their options and results, and all errors and events. */
export { Bedrock } from './bedrock.js';
export type { BedrockOptions } from './core/options/bedrock-options.js';
export { FairMutex } from './primitives/locks/fair-mutex.js';
export { Acquirable, type KeyPart, type RevokeOptions } from './primitives/locks/acquirable.js';
export { Lock } from './primitives/locks/lock.js';
export {
  Idempotency,
  type IdempotencyView,
  type IdempotentResult,
  type IdempotentRun,
} from './primitives/idempotency/idempotency.js';
export type { ResultCodec } from './primitives/idempotency/result-codec.js';
export {
  LeaderElection,
  type CampaignOptions,
  type ObserveOptions,
} from './primitives/election/leader-election.js';
export { LeaderTerm } from './primitives/election/leader-term.js';
export { MultiLease } from './primitives/locks/multi-lease.js';
export { MultiLock, multiLock, type MultiLockOptions } from './primitives/locks/multi-lock.js';
export { Mutex } from './primitives/locks/mutex.js';
export { ReadLock } from './primitives/locks/read-lock.js';
export { ReadWriteLock } from './primitives/locks/read-write-lock.js';
export { WriteLock } from './primitives/locks/write-lock.js';
export { Semaphore } from './primitives/locks/semaphore.js';
export { CountdownLatch } from './primitives/counting/countdown-latch.js';
export { CountingSemaphore } from './primitives/counting/counting-semaphore.js';
export { ExpirableSemaphore } from './primitives/counting/expirable-semaphore.js';
export { Permit } from './primitives/counting/permit.js';
export { Lease } from './engine/holding/lease.js';
export { WriteLease } from './engine/holding/write-lease.js';
export { currentLease } from './engine/call-chain/frames.js';
export { runInFlow } from './engine/call-chain/flow.js';
export type { EngineStats } from './engine/locking/engine-stats.js';

export type { CallOptions, HandOverOptions, LockOptions } from './core/options/options.js';
export type { LeaderElectionOptions } from './core/options/election-options.js';
export type {
  IdempotencyNamespace,
  IdempotencyOptions,
  IdempotentRequest,
} from './core/options/idempotency-options.js';
export type { SpinOptions } from './core/options/spin.js';
export type { SemaphoreCallOptions, SemaphoreOptions } from './core/options/semaphore-options.js';
export type {
  PermitCallOptions,
  PermitOptions,
  WaitCallOptions,
  WaitOptions,
} from './core/options/wait-options.js';
export type {
  WaitEnd,
  EventOrigin,
  LockEventName,
  LockEvents,
  ProcessOrigin,
  ReleaseEnd,
  ReleaseOutcome,
  RequestEnd,
  RequestVerb,
} from './core/events.js';
export type { Clock } from './core/clock.js';
export type { SecretKey } from './core/options/secret-keys.js';
export {
  BackendUnavailableError,
  InvalidOptionError,
  isLockError,
  LeadershipResignedError,
  LockAbortedError,
  LockBusyError,
  LockClosedError,
  LockError,
  LockFlowRequiredError,
  LockLostError,
  LockNotHeldError,
  LockNotOwnerError,
  LockRevokedError,
  LockSelfDeadlockError,
  LockTypeMismatchError,
  LockUpgradeError,
  LockWaitTimeoutError,
  QueueFullError,
  UnsupportedByBackendError,
  type LossReason,
} from './core/errors.js';
export {
  IdempotencyInFlightError,
  IdempotencyLostError,
  IdempotencyMismatchError,
  IdempotencyResultError,
} from './core/idempotency-errors.js';
export type { Backend } from './core/ports/ports.js';
export type { NodeView } from './core/ports/node.js';
export type { ClaimMode, ClaimView, HolderView, ProcessView } from './core/claim.js';

// Links for the compiler alone: it names an inferred type only through entries that it has read (TS2883).
export type {} from './backend.js';
export type {} from './integration.js';
