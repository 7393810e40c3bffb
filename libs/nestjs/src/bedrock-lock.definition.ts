import { ConfigurableModuleBuilder, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { BedrockService } from './bedrock.service.js';
import { checkIdempotencies, checkRegistrations } from './bedrock-lock.checks.js';
import type {
  BedrockLockOptions,
  BedrockLockStaticOptions,
  IdempotencyRegistration,
  LockRegistration,
} from './bedrock-lock.options.js';
import { handlerExports, handlerProviders } from './handler.providers.js';
import { LeadershipModule } from './leadership.module.js';
import { LockExplorer } from './lock.explorer.js';
import { createLockRegistry } from './lock.registry.factory.js';
import type { LockRegistry } from './lock.registry.js';
import { DEFAULT_BACKEND, getIdempotencyToken, getLockToken, LOCK_REGISTRY } from './lock.tokens.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<BedrockLockOptions>({ moduleName: 'BedrockLock' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createBedrockLockOptions')
    .setExtras<BedrockLockStaticOptions>({ isGlobal: true, locks: [], idempotency: [] }, withLocks)
    .build();

function withLocks(definition: DynamicModule, statics: BedrockLockStaticOptions): DynamicModule {
  const listed = {
    locks: checkRegistrations(statics.locks ?? []),
    idempotency: checkIdempotencies(statics.idempotency ?? []),
  };
  const found = [
    ...lockProviders(
      listed.locks,
      (registry, { name, backend }) => registry.find({ lock: name, backend }).lock,
    ),
    ...idempotencyProviders(listed.idempotency, (registry, { name, backend }) =>
      registry.idempotency(name, backend),
    ),
  ];
  return {
    ...definition,
    global: statics.isGlobal ?? true,
    imports: [...(definition.imports ?? []), DiscoveryModule, LeadershipModule],
    providers: [
      ...(definition.providers ?? []),
      {
        provide: LOCK_REGISTRY,
        useFactory: (options: BedrockLockOptions, modules: ModulesContainer) =>
          createLockRegistry(options, listed, modules),
        inject: [MODULE_OPTIONS_TOKEN, ModulesContainer],
      },
      BedrockService,
      LockExplorer,
      ...handlerProviders(MODULE_OPTIONS_TOKEN),
      ...found,
    ],
    exports: [LOCK_REGISTRY, BedrockService, ...handlerExports, ...found.map(({ provide }) => provide)],
  };
}

type TokenProviders = readonly (Provider & { readonly provide: string })[];
type Of<T> = (registry: LockRegistry, registration: T) => unknown;

/** Injectable locks: each by its name, and by its name and backend where the registration states one. */
export function lockProviders(
  locks: readonly LockRegistration[],
  lockOf: Of<LockRegistration>,
): TokenProviders {
  return providersOf(locks, getLockToken, lockOf);
}

/** As `lockProviders()`. */
export function idempotencyProviders(
  idempotency: readonly IdempotencyRegistration[],
  idempotencyOf: Of<IdempotencyRegistration>,
): TokenProviders {
  return providersOf(idempotency, getIdempotencyToken, idempotencyOf);
}

function providersOf<T extends { readonly name: string; readonly backend?: string }>(
  list: readonly T[],
  tokenOf: (name: string, backend?: string) => string,
  valueOf: Of<T>,
): TokenProviders {
  const byToken = new Map<string, T>();
  for (const one of list) {
    const { name, backend } = one;
    if (backend !== undefined) byToken.set(tokenOf(name, backend), one);
    const isShared = list.some((other) => other.name === name && other.backend !== backend);
    if (!isShared || (backend ?? DEFAULT_BACKEND) === DEFAULT_BACKEND) byToken.set(tokenOf(name), one);
  }
  return [...byToken].map(([provide, one]) => ({
    provide,
    useFactory: (registry: LockRegistry) => valueOf(registry, one),
    inject: [LOCK_REGISTRY],
  }));
}
