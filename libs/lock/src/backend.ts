/** For authors of a backend: its drivers with their requests and answers. `Backend`
 * itself and the views that it returns are in `bedrock-lock`. Applications need none of this. */
export type {
  CounterDriver,
  LeaseDriver,
  LockNode,
  NodeOptions,
  PermitDriver,
  RecordDriver,
  Traits,
  Unsubscribe,
  Waker,
} from './core/ports/ports.js';
export type { AdminDriver, HeldResource, ListPage, ListRequest, ProcessEntry } from './core/ports/admin.js';
export type { NodeChange, NodeMonitor } from './core/ports/node.js';
export type { Counter, OperationId, PermitRequest, TakeResult } from './core/ports/counting.js';
export type { RecordRef, RecordStart, RecordView } from './core/ports/records.js';
export { FAIR_MUTEX, MUTEX, permits, READER, READERS, WRITER } from './core/claim.js';
export type {
  Claim,
  ClaimRef,
  HeldRef,
  JointVerdict,
  PushedGrant,
  RenewOutcome,
  Shape,
  Verdict,
  Wake,
  WithdrawOptions,
  WithdrawOutcome,
} from './core/claim.js';
