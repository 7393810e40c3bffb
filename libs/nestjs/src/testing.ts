export { BedrockTestingModule, type BedrockTestingOptions } from './testing/bedrock-testing.module.js';
export { overrideBackends } from './testing/override-backends.js';
export { RecordedLocks, type RecordedCall, type RecordedRequest } from './core/recorded.locks.js';
