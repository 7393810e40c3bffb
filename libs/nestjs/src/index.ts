export { BedrockLockModule } from './bedrock-lock.module.js';
export type {
  BackendSource,
  BedrockLockModuleAsyncOptions,
  BedrockLockModuleOptions,
  BedrockLockOptions,
  BedrockLockOptionsFactory,
  BedrockLockStaticOptions,
  LockRegistration,
} from './bedrock-lock.options.js';
export { BedrockService } from './bedrock.service.js';
export { InjectLock } from './inject-lock.decorator.js';
export { DistributedLock, type LockableMethod, type LockMethodDecorator } from './lock.decorator.js';
export type {
  DistributedLockOptions,
  LockKeyFunction,
  MethodResultKind,
  NotGrantedError,
} from './lock.options.js';
export { getLockToken } from './lock.tokens.js';
export { LockKey } from './lock-key.decorator.js';
export { LockUnboundError } from './lock-unbound.error.js';
export { lockWhile } from './lock-while.operator.js';
export { currentLease } from 'bedrock-lock';
