import type { ExceptionFilter, InjectionToken, Provider } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, ModulesContainer } from '@nestjs/core';
import { checkOptions } from '../registry/bedrock-lock.checks.js';
import type { BedrockLockOptions } from '../options/bedrock-lock.options.js';
import { filterForUncaught } from '../handlers/global.filter.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { LockErrorMapper } from '../handlers/lock-error.mapper.js';
import { LockExceptionFilter } from '../handlers/lock-exception.filter.js';
import { interceptorSettings, type LockInterceptorSettings } from '../options/lock-interceptor.settings.js';
import { LockInterceptor } from '../handlers/lock.interceptor.js';
import { LOCK_INTERCEPTOR_SETTINGS } from '../core/lock.constants.js';

/** Dependencies of `@UseInterceptors(LockInterceptor)` and `@UseFilters(LockExceptionFilter)` in other modules. */
export const handlerExports: InjectionToken[] = [
  LockErrorMapper,
  LockInterceptor,
  LockExceptionFilter,
  IdempotencyInterceptor,
];

/** The module's global interceptor and filter. A disabled one is null, which Nest skips. */
export function handlerProviders(options: InjectionToken): Provider[] {
  return [
    {
      provide: LOCK_INTERCEPTOR_SETTINGS,
      useFactory: checkedSettings,
      inject: [options],
    },
    LockErrorMapper,
    LockInterceptor,
    LockExceptionFilter,
    IdempotencyInterceptor,
    {
      provide: APP_INTERCEPTOR,
      useFactory: globalInterceptor,
      inject: [LOCK_INTERCEPTOR_SETTINGS, LockInterceptor],
    },
    {
      provide: APP_FILTER,
      useFactory: globalFilter,
      inject: [LOCK_INTERCEPTOR_SETTINGS, LockExceptionFilter, ModulesContainer],
    },
  ];
}

function checkedSettings(options: BedrockLockOptions): LockInterceptorSettings {
  // A factory may have returned anything, and the order in which Nest resolves providers is unknown.
  checkOptions(options);
  return interceptorSettings(options.interceptor);
}

function globalInterceptor(
  { isGlobal }: LockInterceptorSettings,
  interceptor: LockInterceptor,
): LockInterceptor | null {
  return isGlobal ? interceptor : null;
}

function globalFilter(
  { isGlobal, mapErrors }: LockInterceptorSettings,
  filter: LockExceptionFilter,
  modules: ModulesContainer,
): ExceptionFilter | null {
  return isGlobal && mapErrors ? filterForUncaught(filter, modules, globalFilter) : null;
}
