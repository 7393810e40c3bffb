export { BedrockTestingModule, type BedrockTestingOptions } from './testing/bedrock-testing.module.js';
export { overrideBackends } from './testing/override-backends.js';
export { RecordedLocks, type RecordedCall, type RecordedRequest } from './core/recorded.locks.js';
export {
  LockRecorder,
  type LockExpectation,
  type RecordedHold,
  type RecordedWait,
} from 'bedrock-lock/integration';

// So that the compiler can name types of the main entry in programs that do not import it.
export type {} from './index.js';
