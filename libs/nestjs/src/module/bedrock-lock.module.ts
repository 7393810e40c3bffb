import { Module, type DynamicModule } from '@nestjs/common';
import { checkFields } from 'bedrock-lock/integration';
import {
  backendSources,
  checkAsyncOptions,
  checkIdempotencies,
  checkRegistrations,
  checkRootOptions,
} from '../registry/bedrock-lock.checks.js';
import { ConfigurableModuleClass, idempotencyProviders, lockProviders } from './bedrock-lock.definition.js';
import type {
  BedrockLockFeatureOptions,
  BedrockLockModuleAsyncOptions,
  BedrockLockModuleOptions,
  LockRegistration,
} from '../options/bedrock-lock.options.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import { DEFAULT_BACKEND, LOCK_REGISTRY } from '../core/lock.constants.js';

/** Token of a feature's registrations. */
const FEATURE = 'the registrations of BedrockLockModule.forFeature()';
const FEATURE_FIELDS: ReadonlySet<string> = new Set<keyof BedrockLockFeatureOptions>(['idempotency']);

/** Locks for a Nest application: import `forRoot()` or `forRootAsync()` once, in the root module. */
@Module({})
export class BedrockLockModule extends ConfigurableModuleClass {
  /**
   * Locks with options known now.
   * @throws InvalidOptionError naming the field; checks that need the backend run when the application starts
   */
  static override forRoot(options: BedrockLockModuleOptions): DynamicModule {
    checkRootOptions(options);
    return super.forRoot({ ...options, backendNames: [...backendSources(options).keys()] });
  }

  /**
   * Locks with options from other providers. The names of the locks are static, since each becomes a provider. Their
   * options may be set here or come from the factory, whose values win.
   * @throws InvalidOptionError naming the field
   */
  static override forRootAsync(options: BedrockLockModuleAsyncOptions): DynamicModule {
    checkAsyncOptions(options);
    const { backends = [DEFAULT_BACKEND], ...rest } = options;
    return super.forRootAsync({ ...rest, backendNames: backends });
  }

  /**
   * Registers further locks where they are used. The same name with the same options is the same lock everywhere; with
   * other options, the application does not start.
   * @throws InvalidOptionError naming the entry
   */
  static forFeature(
    locks: readonly (string | LockRegistration)[],
    options: BedrockLockFeatureOptions = {},
  ): DynamicModule {
    checkFields('options', options, FEATURE_FIELDS);
    const registrations = checkRegistrations(locks);
    const idempotency = checkIdempotencies(options.idempotency ?? []);
    const register = (registry: LockRegistry): void => {
      for (const lock of registrations) registry.register(lock);
      for (const one of idempotency) registry.registerIdempotency(one);
    };
    const providers = [
      ...lockProviders(registrations, (registry, lock) => registry.register(lock)),
      ...idempotencyProviders(idempotency, (registry, one) => registry.registerIdempotency(one)),
    ];
    return {
      module: BedrockLockModule,
      // A test may override each token; methods still find the locks by name.
      providers: [...providers, { provide: FEATURE, useFactory: register, inject: [LOCK_REGISTRY] }],
      exports: providers.map(({ provide }) => provide),
    };
  }
}
