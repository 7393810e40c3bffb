export { Bedrock, type BedrockOptions } from './bedrock.js';
export { Mutex, type KeyPart } from './primitives/mutex.js';
export { Lease } from './engine/lease.js';
export { currentLease } from './engine/frames.js';
export { Flow, innermostFlow, isUnderLock, runInFlow } from './engine/flow.js';
export type { EngineStats } from './engine/lock-engine.js';

export type { CallOptions, HandOverOptions, LockOptions, Terms } from './core/options.js';
export {
  checkBoolean,
  checkClock,
  checkFields,
  checkFunction,
  checkObject,
  checkTime,
  checkWhole,
} from './core/options.js';
export { checkName, MAX_NAME_LENGTH } from './core/key.js';
export type { CompetitorEnd, LockEventName, LockEvents, ReleaseOutcome } from './core/events.js';
export { MAX_TIMER_MS, sleep, systemClock, type Clock, type Timer } from './core/clock.js';
export {
  BackendUnavailableError,
  InvalidOptionError,
  isLockError,
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
  LockWaitTimeoutError,
  QueueFullError,
  UnsupportedByBackendError,
  type LossReason,
} from './core/errors.js';
export type { Backend, LeaseDriver, Traits, Unsubscribe } from './core/ports.js';
export type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  HolderView,
  ProcessView,
  RenewOutcome,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from './core/claim.js';
