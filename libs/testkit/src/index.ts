export { FlowingClock } from './fixtures/flowing-clock.js';
export { ManualClock, type ManualClockOptions } from './fixtures/manual-clock.js';
export { FaultyBackend, type FaultyBackendOptions } from './faults/faulty-backend.js';
export type { Call, Fault, Verb, VerbInput } from './faults/fault.js';

export { Liveness, type Timing } from './liveness/liveness.js';
export { assertHistory } from './history/assert-history.js';
export { Witness } from './history/witness.js';
export { claimOf, FREE, granted, refusalOf } from './fixtures/claims.js';
export { liveness } from './fixtures/liveness.js';
export { eventually, type EventuallyOptions } from './fixtures/eventually.js';

export { checkHistory, type HistoryReport } from './history/check-history.js';
export type { Bounds, Rule, TurnBound, Violation } from './history/violation.js';
export { HistoryRecorder, sharedNow } from './history/history-recorder.js';
export {
  formatHistory,
  parseHistory,
  type Acquired,
  type Asked,
  type Ended,
  type Failed,
  type History,
  type HistoryEvent,
  type Lost,
  type Meddled,
  type Released,
  type Releasing,
  type Renewed,
  type Seen,
  type Share,
  type Stalled,
} from './history/history-event.js';

export type {
  BackendSource,
  ContenderBody,
  ContenderJob,
  NapJob,
  ModuleSource,
  PermitJob,
  ReadWriteJob,
} from './contender/contender-job.js';
export { ContenderProcess } from './contender/contender-process.js';
export { crowdOfPeers, crowdOfProcesses } from './contender/crowd.js';

export {
  contractSuite,
  promisesOf,
  CONTRACT,
  DRIVER_CONTRACTS,
  type ContractOptions,
  type TestRunner,
} from './contract/contract-suite.js';
export {
  LONG_CONTRACT,
  SHORT_CONTRACT,
  type ContractPart,
  type PromiseName,
} from './contract/contract-part.js';
export type { ContractTheme } from './contract/context/contract-theme.js';
export type { ContractHarness, PeerOptions } from './contract/context/contract-harness.js';
export { Stage, type PeerTerms } from './contract/context/stage.js';
