/**
 * For frameworks and tools on top of the locks: checks of options, clocks, flows, the checked options of each
 * primitive, and records of locks for tests.
 */
export {
  checkBoolean,
  checkClock,
  checkFields,
  checkFunction,
  checkObject,
  checkTime,
  checkWhole,
} from './core/checks.js';
export { checkHoldAtLeast, checkLease } from './core/options/options.js';
export { checkName, MAX_NAME_LENGTH } from './core/key.js';
export { MAX_TIMER_MS, sleep, systemClock, type Timer } from './core/clock.js';
export type { SuspendAwareClock } from './core/suspend-aware-clock.js';
export { Flow, innermostFlow, isUnderLock } from './engine/call-chain/flow.js';
export { compareLocks } from './primitives/locks/lock-order.js';
export {
  LockRecorder,
  type FakeHold,
  type LockRecorderOptions,
  type RecordedSource,
} from './recording/lock-recorder.js';

export type { ExpectedHolds, ExpectedWaits, LockExpectation } from './recording/lock-expectation.js';
export type { RecordedHold, RecordedWait } from './recording/records.js';
export type { LockSettings } from './core/options/options.js';
export type { ElectionSettings } from './core/options/election-options.js';
export type { IdempotencySettings } from './core/options/idempotency-options.js';
export type { ReadWriteSettings } from './core/options/read-write-options.js';
export type { SecretKeys } from './core/options/secret-keys.js';
export type { SemaphoreSettings } from './core/options/semaphore-options.js';
export type { SpinSettings } from './core/options/spin.js';
export type { PermitSettings, WaitSettings } from './core/options/wait-options.js';
