import type { ConfigurableModuleAsyncOptions } from '@nestjs/common';
import type { Backend, BedrockOptions, IdempotencyOptions } from 'bedrock-lock';
import type { LockInterceptorOptions } from './lock-interceptor.options.js';
import type { LockKind, LockOptionsOf } from '../core/lock.kind.js';

/** A backend, or a function that makes one when the application starts: then every application has its own. */
export type BackendSource = Backend | (() => Backend | Promise<Backend>);

/** What registrations of every kind have. */
interface NamedLock {
  /** Its name; the resource is the prefix and this. */
  readonly name: string;
  /** Which of the named backends it lives on. @default 'default' */
  readonly backend?: string;
}

/** A registered lock is a mutex where nothing is said. */
type Kinded<K extends LockKind> = K extends 'mutex'
  ? NoMutexOption & { readonly kind?: K }
  : { readonly kind: K };

/** Without a kind, the compiler takes the options of any for possible. */
type NoMutexOption = { readonly [O in Exclude<OptionOf<LockKind>, OptionOf<'mutex'>>]?: never };
type OptionOf<K extends LockKind> = K extends LockKind ? keyof LockOptionsOf<K> : never;

/** A lock that is created once, when the application starts: its name, its kind and the options of that kind. */
export type LockRegistration = { [K in LockKind]: NamedLock & Kinded<K> & LockOptionsOf<K> }[LockKind];

/** A store of idempotency that is created once, when the application starts: its name and its options. */
export interface IdempotencyRegistration extends NamedLock, IdempotencyOptions {}

/** What `forRoot` takes and what the factory of `forRootAsync` gives. */
export interface BedrockLockOptions extends Pick<
  BedrockOptions,
  'prefix' | 'defaults' | 'handOver' | 'maxWaitersPerProcess' | 'clock'
> {
  /** Where the locks live: `() => redis(url)`. The same as `backends: { default: … }`. Closed with the application. */
  readonly backend?: BackendSource;
  /** Several backends by name; a lock that names none lives on `default`. */
  readonly backends?: Readonly<Record<string, BackendSource>>;
  /** The locks. From a factory: options for names that `forRootAsync({ locks })` lists. */
  readonly locks?: readonly (string | LockRegistration)[];
  /** The stores of `@Idempotent()`. From a factory: options for names that `forRootAsync({ idempotency })` lists. */
  readonly idempotency?: readonly (string | IdempotencyRegistration)[];
  /** How long holders may finish when the application closes, in ms. @default 10000 */
  readonly shutdownGraceMs?: number;
  /** Allow a backend whose locks hold in one process only, with NODE_ENV=production. @default false */
  readonly allowInProcessLocks?: boolean;
  /**
   * Start although a backend does not answer, after at most twice its `operationTimeoutMs`: its locks fail with
   * BACKEND_UNAVAILABLE (503) until it does, and the log says when. False: the application does not start. @default false
   */
  readonly startDegraded?: boolean;
  /**
   * Warn once, 1 s after the first grant, when nothing listens to SIGTERM: locks then outlive the process by their leases. Not
   * asked in tests, nor of locks in memory. @default true
   */
  readonly warnWithoutShutdownHooks?: boolean;
  /**
   * What `LockInterceptor` does with handlers. False: it is not applied to all of them, only where
   * `@UseInterceptors(LockInterceptor)` says so. @default true
   */
  readonly interceptor?: boolean | LockInterceptorOptions;
}

/** What must be known before anything is created: the names become providers. */
export interface BedrockLockStaticOptions {
  /** The locks, by name or with options. A factory may add options to them, but no names. */
  readonly locks?: readonly (string | LockRegistration)[];
  /** The stores of idempotency, likewise. */
  readonly idempotency?: readonly (string | IdempotencyRegistration)[];
  /** Make locks and service available in every module without importing this one. @default true */
  readonly isGlobal?: boolean;
}

/** What `forFeature()` registers beside locks. */
export interface BedrockLockFeatureOptions {
  readonly idempotency?: readonly (string | IdempotencyRegistration)[];
}

/** Options of `BedrockLockModule.forRoot()`. */
export interface BedrockLockModuleOptions extends BedrockLockOptions, BedrockLockStaticOptions {}

/** What a class for `useClass` or `useExisting` implements. */
export interface BedrockLockOptionsFactory {
  createBedrockLockOptions(): Promise<BedrockLockOptions> | BedrockLockOptions;
}

/** Options of `BedrockLockModule.forRootAsync()`: one of useFactory, useClass and useExisting, and what is static. */
export interface BedrockLockModuleAsyncOptions
  extends
    ConfigurableModuleAsyncOptions<BedrockLockOptions, 'createBedrockLockOptions'>,
    BedrockLockStaticOptions {
  /** The names of the backends that the factory gives, where they are several. @default ['default'] */
  readonly backends?: readonly string[];
}
