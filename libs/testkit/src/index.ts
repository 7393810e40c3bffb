export { FlowingClock } from './fixtures/flowing-clock.js';
export { ManualClock, type ManualClockOptions } from './fixtures/manual-clock.js';
export { FaultyBackend, type FaultyBackendOptions } from './faults/faulty-backend.js';
export type { BackendCall, DriverInput, Fault, Verb, VerbInput } from './faults/fault.js';

export { Liveness, type Timing, type WithinOptions } from './liveness/liveness.js';
export { assertHistory } from './history/assert-history.js';
export { ExclusionChecker } from './history/exclusion-checker.js';
export { claimOf, FREE, granted, refusalOf } from './fixtures/claims.js';
export { liveness } from './fixtures/liveness.js';
export { eventually, type EventuallyOptions } from './fixtures/eventually.js';

export { checkHistory, type HistoryReport } from './history/check-history.js';
export type { HistoryLimits, Invariant, TurnBound, Violation } from './history/violation.js';
export { HistoryRecorder, sharedNow, type EventToRecord } from './history/history-recorder.js';
export {
  formatHistory,
  parseHistory,
  type AcquiredEvent,
  type AskedEvent,
  type EndedEvent,
  type FailedEvent,
  type History,
  type HistoryEvent,
  type HistoryEventFields,
  type LostEvent,
  type ForeignWriteEvent,
  type ReleasedEvent,
  type ReleasingEvent,
  type RenewedEvent,
  type SeenEvent,
  type Share,
  type StalledEvent,
} from './history/history-event.js';

export type {
  BackendModule,
  ContenderBody,
  ContenderJob,
  MutexVariant,
  NapJob,
  ModuleSource,
  PermitJob,
  ReadWriteJob,
} from './contender/contender-job.js';
export { ContenderProcess } from './contender/contender-process.js';
export { runContendersAsPeers, runContendersAsProcesses } from './contender/run-contenders.js';

export {
  contractSuite,
  promisesOf,
  CONTRACT,
  DRIVER_CONTRACTS,
  type ContractGroups,
  type ContractOptions,
  type TestRunner,
} from './contract/contract-suite.js';
export {
  LONG_CONTRACT,
  SHORT_CONTRACT,
  type ContractPart,
  type PromiseName,
} from './contract/contract-part.js';
export type { ContractGroup } from './contract/context/contract-group.js';
export type { ContractHarness, PeerOptions } from './contract/context/contract-harness.js';
export type {
  CostRange,
  CountedPrimitive,
  RequestMeter,
  RoundTripCosts,
  RoundTripStep,
  StepCosts,
} from './contract/context/request-meter.js';
export { ContractContext, type PeerBedrockOptions } from './contract/context/contract-context.js';

export {
  LockRecorder,
  type ExpectedHolds,
  type ExpectedWaits,
  type FakeHold,
  type LockExpectation,
  type LockRecorderOptions,
  type RecordedHold,
  type RecordedSource,
  type RecordedWait,
} from 'bedrock-lock/integration';
