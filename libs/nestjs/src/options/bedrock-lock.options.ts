import type { ConfigurableModuleAsyncOptions, LoggerService } from '@nestjs/common';
import type { Backend, Bedrock, BedrockOptions, IdempotencyOptions } from 'bedrock-lock';
import type { LockInterceptorOptions } from './lock-interceptor.options.js';
import type { LockKind, LockOptionsOf } from '../core/lock.kind.js';

/** A backend, or a function that creates one at the application's start, so that each application has its own. */
export type BackendSource = Backend | (() => Backend | Promise<Backend>);

/** Options of every kind of registration. */
export interface NamedLock {
  /** Its name; the resource is the prefix plus this name. */
  readonly name: string;
  /** Name of its backend. @default 'default' */
  readonly backend?: string;
}

/** A registration without a kind is a mutex. */
type Kinded<K extends LockKind> = K extends 'mutex'
  ? NoMutexOption & { readonly kind?: K }
  : { readonly kind: K };

/** Without this type, the compiler would accept the options of any kind when the kind is omitted. */
type NoMutexOption = { readonly [O in Exclude<OptionOf<LockKind>, OptionOf<'mutex'>>]?: never };
type OptionOf<K extends LockKind> = K extends LockKind ? keyof LockOptionsOf<K> : never;

/** A lock that is created once, when the application starts: its name, its kind and the options of that kind. */
export type LockRegistration = { [K in LockKind]: NamedLock & Kinded<K> & LockOptionsOf<K> }[LockKind];

/** An idempotency store that is created once, when the application starts: its name and its options. */
export interface IdempotencyRegistration extends NamedLock, IdempotencyOptions {}

/** What records a Bedrock, until it is stopped. */
export interface RunningTelemetry {
  /** Ends it, after the Bedrock was closed. */
  stop(): void;
  /** Runs a function so that its spans or records name a decorated method, such as `OrdersService.pay`. */
  inMethod?<R>(method: string, fn: () => R): R;
}

/** Where metrics and spans go: `openTelemetry()` or `prometheus()` of `nestjs-bedrock/telemetry`, or one of your own. */
export interface Telemetry {
  /** Called once for each backend, before its locks are created. An error ends the start of the application. */
  start(bedrock: Bedrock): RunningTelemetry | Promise<RunningTelemetry>;
}

/** Options of `forRoot()`, and the result of the factory of `forRootAsync()`. */
export interface BedrockLockOptions extends Pick<
  BedrockOptions,
  'prefix' | 'defaults' | 'handOver' | 'maxWaitersPerProcess' | 'clock'
> {
  /**
   * The backend of the locks: `() => redis(url)`. Short for `backends: { default: … }`. Closed with the application.
   */
  readonly backend?: BackendSource;
  /** Several backends by name; a lock that names none uses `default`. */
  readonly backends?: Readonly<Record<string, BackendSource>>;
  /** The locks. From a factory: options for names that `forRootAsync({ locks })` lists. */
  readonly locks?: readonly (string | LockRegistration)[];
  /** The stores of `@Idempotent()`. From a factory: options for names that `forRootAsync({ idempotency })` lists. */
  readonly idempotency?: readonly (string | IdempotencyRegistration)[];
  /** How long holders may finish when the application closes, in ms. @default 10000 */
  readonly shutdownGraceMs?: number;
  /** Allow a backend whose locks exclude within one process only, with NODE_ENV=production. @default false */
  readonly allowInProcessLocks?: boolean;
  /**
   * Start even if a backend does not answer, after at most twice its `operationTimeoutMs`. Its locks fail with
   * BACKEND_UNAVAILABLE (503) until it answers, which the log reports. False: the application does not start.
   * @default false
   */
  readonly startDegraded?: boolean;
  /**
   * Warn once, 1 s after the first grant, if no listener handles SIGTERM: locks would then remain until their leases
   * expire. Skipped in tests and for locks in memory.
   * @default true
   */
  readonly warnWithoutShutdownHooks?: boolean;
  /**
   * Metrics and spans of the locks. True: in the global providers of OpenTelemetry (peer: `@opentelemetry/api`);
   * otherwise what `nestjs-bedrock/telemetry` gives, one or several.
   * @default false
   */
  readonly telemetry?: boolean | Telemetry | readonly Telemetry[];
  /**
   * Where the lines about events of locks go, each a text with its fields: locks that are lost or revoked,
   * outages, stalls of the event loop, leaders. False: nowhere. Other lines go to Nest's logger in any case.
   * @default Nest's logger
   */
  readonly logger?: LoggerService | false;
  /**
   * Settings of `LockInterceptor`. False: it applies only where `@UseInterceptors(LockInterceptor)` names it.
   * @default true
   */
  readonly interceptor?: boolean | LockInterceptorOptions;
}

/** Options that are known before anything is created: the names become providers. */
export interface BedrockLockStaticOptions {
  /** The locks, by name or with options. A factory may add options to them, but no names. */
  readonly locks?: readonly (string | LockRegistration)[];
  /** The idempotency stores, likewise. */
  readonly idempotency?: readonly (string | IdempotencyRegistration)[];
  /** Make locks and service available in every module without importing this one. @default true */
  readonly isGlobal?: boolean;
}

/** Further registrations of `forFeature()` besides locks. */
export interface BedrockLockFeatureOptions {
  readonly idempotency?: readonly (string | IdempotencyRegistration)[];
}

/** Options of `BedrockLockModule.forRoot()`. */
export interface BedrockLockModuleOptions extends BedrockLockOptions, BedrockLockStaticOptions {}

/** Implemented by a class for `useClass` or `useExisting`. */
export interface BedrockLockOptionsFactory {
  createBedrockLockOptions(): Promise<BedrockLockOptions> | BedrockLockOptions;
}

/**
 * Options of `BedrockLockModule.forRootAsync()`: one of useFactory, useClass and useExisting, and the static options.
 */
export interface BedrockLockModuleAsyncOptions
  extends
    ConfigurableModuleAsyncOptions<BedrockLockOptions, 'createBedrockLockOptions'>,
    BedrockLockStaticOptions {
  /** The names of the backends that the factory provides, if there are several. @default ['default'] */
  readonly backends?: readonly string[];
}
