export { BedrockLockModule } from './module/bedrock-lock.module.js';
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
  NamedLock,
  RunningTelemetry,
  Telemetry,
} from './options/bedrock-lock.options.js';
export { BedrockService } from './registry/bedrock.service.js';
export { InjectIdempotency } from './injection/inject-idempotency.decorator.js';
export { InjectLock } from './injection/inject-lock.decorator.js';
export {
  DistributedLock,
  type LockableMethod,
  type LockMethodDecorator,
  type SkippingMethodDecorator,
} from './locking/lock.decorator.js';
export type {
  DistributedLockOptions,
  KindOptions,
  LockKeyFunction,
  LockKeysFunction,
  MethodLockOptions,
  MethodResultKind,
  NotGrantedError,
} from './options/lock.options.js';
export {
  Idempotent,
  type IdempotentDecorator,
  type IdempotentFunction,
} from './idempotency/idempotent.decorator.js';
export type {
  IdempotencyKeyFunction,
  IdempotencyScope,
  IdempotentHandlerOptions,
  IdempotentMethodOptions,
  IdempotentOptions,
  SharedIdempotentOptions,
} from './options/idempotent-spec.js';
export { LockExceptionFilter } from './handlers/lock-exception.filter.js';
export type { MappedLockCode, LockInterceptorOptions } from './options/lock-interceptor.options.js';
export { LockInterceptor } from './handlers/lock.interceptor.js';
export { getBackendToken } from './core/backend.tokens.js';
export { getIdempotencyToken, getLockToken } from './core/lock.constants.js';
export type { LockKind, LockKinds, LockKindTypes, LockOf, LockOptionsOf } from './core/lock.kind.js';
export type {
  Accepts,
  ArgumentsDoNotFit,
  CanBeStored,
  MayGiveNothing,
  SkippedCallsGiveUndefined,
  StreamsAreNotStored,
} from './core/method.types.js';
export type { LockMode } from './core/lock-reference.js';
export {
  OnLeader,
  type LeaderMethod,
  type LeaderMethodDecorator,
  type OnLeaderOptions,
} from './leadership/on-leader.decorator.js';
export { LockKey } from './keys/lock-key.decorator.js';
export { LockUnboundError } from './core/lock-unbound.error.js';
export { lockWhile } from './locking/lock-while.operator.js';
export { currentLease } from 'bedrock-lock';
