export { Bedrock } from './bedrock.js';
export type { BedrockOptions } from './core/bedrock-options.js';
export { FairMutex } from './primitives/fair-mutex.js';
export { Leasable, type KeyPart } from './primitives/leasable.js';
export { Lock } from './primitives/lock.js';
export {
  Idempotency,
  type IdempotencyView,
  type IdempotentResult,
  type IdempotentRun,
} from './primitives/idempotency/idempotency.js';
export { canonicalJson, fingerprintOf } from './primitives/idempotency/fingerprint.js';
export type { ResultCodec } from './primitives/idempotency/result-codec.js';
export { LeaderElection, type CampaignOptions, type ObserveOptions } from './primitives/leader-election.js';
export { LeaderTerm } from './primitives/leader-term.js';
export { MultiLease } from './primitives/multi-lease.js';
export { compareLocks } from './primitives/lock-order.js';
export { MultiLock, multiLock, type MultiLockOptions } from './primitives/multi-lock.js';
export { Mutex } from './primitives/mutex.js';
export { ReadLock } from './primitives/read-lock.js';
export { ReadWriteLock } from './primitives/read-write-lock.js';
export { WriteLock } from './primitives/write-lock.js';
export { Semaphore } from './primitives/semaphore.js';
export { CountdownLatch } from './primitives/countdown-latch.js';
export { CountingSemaphore } from './primitives/counting-semaphore.js';
export { ExpirableSemaphore } from './primitives/expirable-semaphore.js';
export { Permit } from './primitives/permit.js';
export { Lease } from './engine/lease.js';
export { WriteLease } from './engine/write-lease.js';
export { currentLease } from './engine/frames.js';
export { Flow, innermostFlow, isUnderLock, runInFlow } from './engine/flow.js';
export type { EngineStats } from './engine/engine-stats.js';

export type { CallOptions, HandOverOptions, LockOptions, Terms } from './core/options.js';
export type { ElectionTerms, LeaderElectionOptions } from './core/election-options.js';
export type {
  IdempotencyNamespace,
  IdempotencyOptions,
  IdempotencyTerms,
  IdempotentRequest,
} from './core/idempotency-options.js';
export type { ReadWriteTerms } from './core/read-write-options.js';
export type { SpinOptions, SpinTerms } from './core/spin.js';
export type { SemaphoreCallOptions, SemaphoreOptions, SemaphoreTerms } from './core/semaphore-options.js';
export type {
  PermitCallOptions,
  PermitOptions,
  PermitTerms,
  WaitCallOptions,
  WaitOptions,
  WaitTerms,
} from './core/wait-options.js';
export {
  checkBoolean,
  checkClock,
  checkFields,
  checkFunction,
  checkObject,
  checkTime,
  checkWhole,
} from './core/checks.js';
export { checkHoldAtLeast, checkLease } from './core/options.js';
export { checkName, MAX_NAME_LENGTH } from './core/key.js';
export type {
  CompetitorEnd,
  EventOrigin,
  LockEventName,
  LockEvents,
  ReleaseEnd,
  ReleaseOutcome,
} from './core/events.js';
export { MAX_TIMER_MS, sleep, systemClock, type Clock, type Timer } from './core/clock.js';
export type { SecretKey, SecretKeys } from './core/secret-keys.js';
export type { SuspendAwareClock } from './core/suspend-aware-clock.js';
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
export type {
  Backend,
  CounterDriver,
  LeaseDriver,
  LockNode,
  NodeTerms,
  PermitDriver,
  RecordDriver,
  Traits,
  Unsubscribe,
  Waker,
} from './core/ports.js';
export type { NodeChange, NodeHouse, NodeView } from './core/node.js';
export type { Counter, Operation, PermitWant, Taken } from './core/counting.js';
export type { RecordRef, RecordStart, RecordView } from './core/records.js';
export { FAIR_MUTEX, MUTEX, permits, READER, READERS, WRITER } from './core/claim.js';
export type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  HolderView,
  JointVerdict,
  ProcessView,
  PushedGrant,
  RenewOutcome,
  Shape,
  Verdict,
  Wake,
  WithdrawOptions,
  WithdrawOutcome,
} from './core/claim.js';
