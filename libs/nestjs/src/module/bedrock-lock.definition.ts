import { ConfigurableModuleBuilder, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { listBackend, refuseUnlistedOverrides } from '../core/backend.tokens.js';
import { BedrockService } from '../registry/bedrock.service.js';
import { checkIdempotencies, checkRegistrations } from '../registry/bedrock-lock.checks.js';
import type {
  BackendSource,
  BedrockLockOptions,
  BedrockLockStaticOptions,
  IdempotencyRegistration,
  LockRegistration,
} from '../options/bedrock-lock.options.js';
import { enterTestMode } from '../registry/bound.registry.js';
import { handlerExports, handlerProviders } from './handler.provider.js';
import { LeadershipModule } from '../leadership/leadership.module.js';
import { LockExplorer } from './lock.explorer.js';
import { createLockRegistry } from '../registry/lock.registry.factory.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import {
  DEFAULT_BACKEND,
  getIdempotencyToken,
  getLockToken,
  LOCK_REGISTRY,
  TEST_MODE,
} from '../core/lock.constants.js';
import { exposed, type TestMode } from '../registry/test.mode.js';

type Overrides = readonly (BackendSource | null)[];

/** What the module knows before its options exist. */
interface ModuleExtras extends BedrockLockStaticOptions {
  /** Each has a token, which a test may override. */
  readonly backendNames?: readonly string[];
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<BedrockLockOptions>({ moduleName: 'BedrockLock' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createBedrockLockOptions')
    .setExtras<ModuleExtras>(
      { isGlobal: true, locks: [], idempotency: [], backendNames: [] },
      withLockProviders,
    )
    .build();

function withLockProviders(definition: DynamicModule, statics: ModuleExtras): DynamicModule {
  const backendNames = statics.backendNames ?? [DEFAULT_BACKEND];
  const backendTokens = backendNames.map(listBackend);
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
        useFactory: async (
          options: BedrockLockOptions,
          modules: ModulesContainer,
          mode: TestMode | undefined,
          ...overrides: Overrides
        ) => {
          // A test module has its own backends, so no override can miss one.
          if (mode === undefined) refuseUnlistedOverrides(backendNames);
          const backends = new Map(backendNames.map((name, i) => [name, overrides[i] ?? undefined]));
          const registry = await createLockRegistry(options, { ...listed, backends }, modules);
          if (mode !== undefined) await enterTestMode(registry, mode);
          return registry;
        },
        inject: [
          MODULE_OPTIONS_TOKEN,
          ModulesContainer,
          { token: TEST_MODE, optional: true },
          ...backendTokens,
        ],
      },
      // Null unless a test overrides it: then the backend of the options is never created.
      ...backendTokens.map((provide) => ({ provide, useValue: null })),
      BedrockService,
      LockExplorer,
      ...handlerProviders(MODULE_OPTIONS_TOKEN),
      ...found,
    ],
    exports: [LOCK_REGISTRY, BedrockService, ...handlerExports, ...found.map(({ provide }) => provide)],
  };
}

type TokenProviders = readonly (Provider & { readonly provide: string })[];
type Resolver<T> = (registry: LockRegistry, registration: T) => { readonly name: string };

/** Injectable locks: one provider by name, and one by name and backend if the registration states a backend. */
export function lockProviders(
  locks: readonly LockRegistration[],
  lockOf: Resolver<LockRegistration>,
): TokenProviders {
  return providersOf(locks, getLockToken, lockOf);
}

/** As `lockProviders()`. */
export function idempotencyProviders(
  idempotency: readonly IdempotencyRegistration[],
  idempotencyOf: Resolver<IdempotencyRegistration>,
): TokenProviders {
  return providersOf(idempotency, getIdempotencyToken, idempotencyOf);
}

function providersOf<T extends { readonly name: string; readonly backend?: string }>(
  list: readonly T[],
  tokenOf: (name: string, backend?: string) => string,
  valueOf: Resolver<T>,
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
    useFactory: (registry: LockRegistry) => exposed(registry, valueOf(registry, one)),
    inject: [LOCK_REGISTRY],
  }));
}
