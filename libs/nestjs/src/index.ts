export { BedrockLockModule } from './bedrock-lock.module.js';
export type {
  BackendSource,
  BedrockLockFeatureOptions,
  BedrockLockModuleAsyncOptions,
  BedrockLockModuleOptions,
  BedrockLockOptions,
  BedrockLockOptionsFactory,
  BedrockLockStaticOptions,
  IdempotencyRegistration,
  LockRegistration,
} from './bedrock-lock.options.js';
export { BedrockService } from './bedrock.service.js';
export { InjectIdempotency } from './inject-idempotency.decorator.js';
export { InjectLock } from './inject-lock.decorator.js';
export {
  DistributedLock,
  type LockableMethod,
  type LockMethodDecorator,
  type SkippingMethodDecorator,
} from './lock.decorator.js';
export type {
  DistributedLockOptions,
  LockKeyFunction,
  LockKeysFunction,
  MethodResultKind,
  NotGrantedError,
} from './lock.options.js';
export { Idempotent, type IdempotentDecorator, type IdempotentFunction } from './idempotent.decorator.js';
export type {
  IdempotencyKeyFunction,
  IdempotentHandlerOptions,
  IdempotentMethodOptions,
  IdempotentOptions,
} from './idempotent-spec.js';
export { LockExceptionFilter } from './lock-exception.filter.js';
export type { AnsweredLockCode, LockInterceptorOptions } from './lock-interceptor.options.js';
export { LockInterceptor } from './lock.interceptor.js';
export { getBackendToken } from './backend.tokens.js';
export { getIdempotencyToken, getLockToken } from './lock.tokens.js';
export type { LockKind, LockKinds, LockOf } from './lock.kind.js';
export type { LockMode } from './lock.use.js';
export {
  OnLeader,
  type LeaderMethod,
  type LeaderMethodDecorator,
  type OnLeaderOptions,
} from './on-leader.decorator.js';
export { LockKey } from './lock-key.decorator.js';
export { LockUnboundError } from './lock-unbound.error.js';
export { lockWhile } from './lock-while.operator.js';
export { currentLease } from 'bedrock-lock';
