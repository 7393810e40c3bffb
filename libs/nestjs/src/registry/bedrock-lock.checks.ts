import type { LoggerService } from '@nestjs/common';
import { InvalidOptionError } from 'bedrock-lock';
import {
  checkBoolean,
  checkClock,
  checkFields,
  checkFunction,
  checkName,
  checkObject,
  checkTime,
} from 'bedrock-lock/integration';
import type {
  BackendSource,
  BedrockLockModuleAsyncOptions,
  BedrockLockModuleOptions,
  BedrockLockOptions,
  BedrockLockStaticOptions,
  IdempotencyRegistration,
  LockRegistration,
  Telemetry,
} from '../options/bedrock-lock.options.js';
import { interceptorSettings } from '../options/lock-interceptor.settings.js';
import { checkKind } from '../core/lock.kind.js';
import { DEFAULT_BACKEND } from '../core/lock.constants.js';

const SHARED_FIELDS = [
  'backend', 'backends', 'locks', 'idempotency', 'prefix', 'defaults', 'handOver', 'maxWaitersPerProcess', 'clock',
  'shutdownGraceMs', 'allowInProcessLocks', 'interceptor', 'startDegraded', 'warnWithoutShutdownHooks',
  'telemetry', 'logger',
] as const satisfies (keyof BedrockLockOptions)[]; // prettier-ignore
const FROM_FACTORY: ReadonlySet<string> = new Set(SHARED_FIELDS);
const ROOT: ReadonlySet<string> = new Set<keyof BedrockLockModuleOptions>([...SHARED_FIELDS, 'isGlobal']);
const WAYS = ['useFactory', 'useClass', 'useExisting'] as const;
const ASYNC: ReadonlySet<string> = new Set<keyof BedrockLockModuleAsyncOptions>([
  ...WAYS, 'imports', 'inject', 'provideInjectionTokensFrom', 'locks', 'idempotency', 'backends', 'isGlobal',
]); // prettier-ignore

/** Checks the options of `forRoot()`. @throws InvalidOptionError */
export function checkRootOptions(options: BedrockLockModuleOptions): void {
  checkFields('options', options, ROOT);
  checkStatic(options);
  const { isGlobal: _isGlobal, ...rest } = options;
  checkOptions(rest);
}

/** Checks the options of `forRootAsync()`. @throws InvalidOptionError */
export function checkAsyncOptions(options: BedrockLockModuleAsyncOptions): void {
  checkFields('options', options, ASYNC);
  checkStatic(options);
  const given = WAYS.filter((way) => options[way] !== undefined);
  const [way] = given;
  if (way === undefined || given.length > 1) {
    throw new InvalidOptionError('options', `given exactly one of ${WAYS.join(', ')}`, options);
  }
  if (way !== 'useExisting') checkFunction(way, options[way]);
  else if (options[way] === null) throw new InvalidOptionError(way, 'a provider', null);
  if (options.backends !== undefined) checkNames('backends', options.backends);
  for (const list of ['imports', 'inject'] as const) {
    const value: unknown = options[list];
    if (value !== undefined && !Array.isArray(value)) throw new InvalidOptionError(list, 'an array', value);
  }
}

/** Checks the result of a factory, or the dynamic options of `forRoot()`. @throws InvalidOptionError */
export function checkOptions(options: BedrockLockOptions): void {
  checkFields('options', options, FROM_FACTORY);
  refuseNull(options);
  const { shutdownGraceMs, locks, idempotency, clock, interceptor, telemetry, logger } = options;
  backendSources(options);
  interceptorSettings(interceptor);
  if (shutdownGraceMs !== undefined) checkTime('shutdownGraceMs', shutdownGraceMs, 0);
  for (const flag of ['allowInProcessLocks', 'startDegraded', 'warnWithoutShutdownHooks'] as const)
    if (options[flag] !== undefined) checkBoolean(flag, options[flag]);
  if (telemetry !== undefined) checkTelemetry(telemetry);
  if (logger !== undefined && logger !== false) checkLogger(logger);
  if (clock !== undefined) checkClock('clock', clock);
  for (const group of ['defaults', 'handOver'] as const) {
    if (options[group] === undefined) continue;
    checkObject(group, options[group]);
    refuseNull(options[group], `${group}.`);
  }
  if (locks !== undefined) checkRegistrations(locks);
  if (idempotency !== undefined) checkIdempotencies(idempotency);
}

/** The registrations of a list, with names converted to objects. @throws InvalidOptionError naming the entry */
export function checkRegistrations(locks: unknown): readonly LockRegistration[] {
  return checkList('locks', locks, (entry: LockRegistration, field) => {
    if (entry.kind !== undefined) checkKind(`${field}.kind`, entry.kind);
  });
}

/** As `checkRegistrations()`. */
export function checkIdempotencies(idempotency: unknown): readonly IdempotencyRegistration[] {
  return checkList('idempotency', idempotency, () => undefined);
}

function checkList<T extends { readonly name: string; readonly backend?: string }>(
  list: string,
  entries: unknown,
  check: (entry: T, field: string) => void,
): readonly T[] {
  if (!Array.isArray(entries)) throw new InvalidOptionError(list, 'an array', entries);
  return (entries as unknown[]).map((entry, index) => {
    const field = `${list}[${index}]`;
    if (typeof entry === 'string') return { name: checkName(field, entry) } as T;
    checkObject(field, entry);
    refuseNull(entry as object, `${field}.`);
    const { name, backend } = entry as T;
    checkName(`${field}.name`, name);
    check(entry as T, field);
    if (backend !== undefined) checkName(`${field}.backend`, backend);
    return entry as T;
  });
}

/** The backends by name. @throws InvalidOptionError if there is none, or if both options are set */
export function backendSources({ backend, backends }: BedrockLockOptions): Map<string, BackendSource> {
  if (backend !== undefined && backends !== undefined) {
    throw new InvalidOptionError('backend', 'left out when backends is given', backend);
  }
  if (backends === undefined)
    return new Map([[DEFAULT_BACKEND, checkSource('backend', backend as BackendSource)]]);
  checkObject('backends', backends);
  const sources = Object.entries(backends);
  if (sources.length === 0)
    throw new InvalidOptionError('backends', 'an object with at least one backend', backends);
  return new Map(
    sources.map(([name, source]) => [checkName('backends', name), checkSource(`backends.${name}`, source)]),
  );
}

function checkTelemetry(given: BedrockLockOptions['telemetry']): void {
  if (typeof given === 'boolean') return;
  const requirement =
    'true, false, or openTelemetry() or prometheus() of nestjs-bedrock/telemetry, or an array of them';
  const all: readonly unknown[] = Array.isArray(given) ? given : [given];
  for (const one of all) {
    if (typeof (one as Partial<Telemetry> | null)?.start !== 'function')
      throw new InvalidOptionError('telemetry', requirement, one);
  }
}

function checkLogger(logger: Partial<LoggerService>): void {
  for (const level of ['log', 'warn', 'error'] as const) {
    if (typeof logger[level] === 'function') continue;
    throw new InvalidOptionError('logger', 'false, or a logger with log(), warn() and error()', logger);
  }
}

function checkNames(field: string, names: unknown): void {
  if (!Array.isArray(names) || names.length === 0)
    throw new InvalidOptionError(field, 'an array of at least one name', names);
  names.forEach((name, index) => checkName(`${field}[${index}]`, name));
}

/** Refuses null: later code would treat it as an omitted option. */
function refuseNull(options: object, prefix = ''): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === null) throw new InvalidOptionError(`${prefix}${name}`, 'given or left out', value);
  }
}

function checkStatic({ locks, idempotency, isGlobal }: BedrockLockStaticOptions): void {
  if (locks !== undefined) checkRegistrations(locks);
  if (idempotency !== undefined) checkIdempotencies(idempotency);
  if (isGlobal !== undefined) checkBoolean('isGlobal', isGlobal);
}

function checkSource(field: string, source: BackendSource): BackendSource {
  if (typeof source === 'function' || typeof source?.leases?.claim === 'function') return source;
  throw new InvalidOptionError(field, 'a backend such as redis(url), or a function that makes one', source);
}
