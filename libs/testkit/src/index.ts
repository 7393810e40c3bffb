export { ManualClock, type ManualClockOptions } from './manual-clock.js';
export { FaultyBackend, type FaultyBackendOptions } from './faulty-backend.js';
export type { Call, Fault, Verb, VerbInput } from './fault.js';

export { checkHistory, type HistoryReport } from './history/check-history.js';
export type { Bounds, Rule, Violation } from './history/violation.js';
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
  ModuleSource,
  PermitJob,
  ReadWriteJob,
} from './contender/contender-job.js';
export { ContenderProcess } from './contender/contender-process.js';
export { crowdOfPeers, crowdOfProcesses } from './contender/crowd.js';

export { contractSuite, CONTRACT, DRIVER_CONTRACTS, type TestRunner } from './contract/contract-suite.js';
export type { ContractTheme } from './contract/contract-theme.js';
export type { ContractHarness, PeerOptions } from './contract/contract-harness.js';
export { Stage, type PeerTerms } from './contract/stage.js';
