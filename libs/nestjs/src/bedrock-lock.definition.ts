import { ConfigurableModuleBuilder, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { BedrockService } from './bedrock.service.js';
import { checkRegistrations } from './bedrock-lock.checks.js';
import type {
  BedrockLockOptions,
  BedrockLockStaticOptions,
  LockRegistration,
} from './bedrock-lock.options.js';
import { handlerExports, handlerProviders } from './handler.providers.js';
import { LeadershipModule } from './leadership.module.js';
import { LockExplorer } from './lock.explorer.js';
import { createLockRegistry } from './lock.registry.factory.js';
import type { LockRegistry } from './lock.registry.js';
import { DEFAULT_BACKEND, getLockToken, LOCK_REGISTRY } from './lock.tokens.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<BedrockLockOptions>({ moduleName: 'BedrockLock' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createBedrockLockOptions')
    .setExtras<BedrockLockStaticOptions>({ isGlobal: true, locks: [] }, withLocks)
    .build();

function withLocks(definition: DynamicModule, statics: BedrockLockStaticOptions): DynamicModule {
  const listed = checkRegistrations(statics.locks ?? []);
  const locks = lockProviders(
    listed,
    (registry, { name, backend }) => registry.find({ lock: name, backend }).lock,
  );
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
      ...locks,
    ],
    exports: [LOCK_REGISTRY, BedrockService, ...handlerExports, ...locks.map(({ provide }) => provide)],
  };
}

/** Injectable locks: each by its name, and by its name and backend where the registration states one. */
export function lockProviders(
  locks: readonly LockRegistration[],
  lockOf: (registry: LockRegistry, lock: LockRegistration) => unknown,
): readonly (Provider & { readonly provide: string })[] {
  const byToken = new Map<string, LockRegistration>();
  for (const lock of locks) {
    const { name, backend } = lock;
    if (backend !== undefined) byToken.set(getLockToken(name, backend), lock);
    const isShared = locks.some((other) => other.name === name && other.backend !== backend);
    if (!isShared || (backend ?? DEFAULT_BACKEND) === DEFAULT_BACKEND) byToken.set(getLockToken(name), lock);
  }
  return [...byToken].map(([provide, lock]) => ({
    provide,
    useFactory: (registry: LockRegistry) => lockOf(registry, lock),
    inject: [LOCK_REGISTRY],
  }));
}
