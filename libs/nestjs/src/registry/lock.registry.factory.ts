import type { ModulesContainer } from '@nestjs/core';
import { Bedrock, InvalidOptionError, UnsupportedByBackendError, type Backend } from 'bedrock-lock';
import {
  backendSources,
  checkIdempotencies,
  checkOptions,
  checkRegistrations,
} from './bedrock-lock.checks.js';
import type {
  BackendSource,
  BedrockLockOptions,
  IdempotencyRegistration,
  LockRegistration,
  Telemetry,
} from '../options/bedrock-lock.options.js';
import { logEvents } from './lock.log.js';
import { LockRegistry } from './lock.registry.js';
import { LOCK_REGISTRY } from '../core/lock.constants.js';
import { orderHooks } from './hook-order.js';
import { openTelemetry } from '../telemetry/open-telemetry.js';
import { warnWithoutShutdownHooks } from './shutdown.hooks.js';

/** The static registrations of the module. */
export interface StaticRegistrations {
  readonly locks: readonly LockRegistration[];
  readonly idempotency: readonly IdempotencyRegistration[];
  /** The backends by name, with a test's replacement if there is one. */
  readonly backends: ReadonlyMap<string, BackendSource | undefined>;
}

/** Creates the Bedrocks and registers the locks. Leaves nothing open when it throws. */
export async function createLockRegistry(
  options: BedrockLockOptions,
  listed: StaticRegistrations,
  modules: ModulesContainer,
): Promise<LockRegistry> {
  refuseSecondRoot(modules);
  orderHooks(modules);
  checkOptions(options);
  const locks = withOptions('locks', listed.locks, checkRegistrations(options.locks ?? []));
  const configured = checkIdempotencies(options.idempotency ?? []);
  const idempotency = withOptions('idempotency', listed.idempotency, configured);
  const bedrocks = new Map<string, Bedrock>();
  const registry = new LockRegistry(bedrocks, options);
  const telemetries = telemetriesOf(options);
  try {
    const sources = [...backendSources(options)];
    // `multiLock()` orders by creation, so backends are created in the order of `inLockOrder()`.
    sources.sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [name, own] of sources) {
      if (!listed.backends.has(name)) throw unlistedError(name);
      const source = listed.backends.get(name) ?? own;
      const backend = typeof source === 'function' ? await source() : source;
      const bedrock = createBedrock(backend, options);
      bedrocks.set(name, bedrock);
      logEvents(bedrock, { name, logger: options.logger, clock: registry.clock });
      await registry.record(bedrock, telemetries);
    }
    if (options.warnWithoutShutdownHooks ?? true)
      warnWithoutShutdownHooks([...bedrocks.values()], registry.clock);
    for (const lock of locks) registry.register(lock);
    for (const one of idempotency) registry.registerIdempotency(one);
  } catch (error) {
    await registry.close({ graceMs: 0 });
    throw error;
  }
  return registry;
}

/** Tests override backends by token, and tokens must exist before the factory runs. */
function unlistedError(name: string): InvalidOptionError {
  return new InvalidOptionError(
    'backends',
    'listed by name too: forRootAsync({ backends: [name, …] })',
    name,
  );
}

/** Two roots would have separate queues for the same locks, and decorated methods could not tell which to use. */
function refuseSecondRoot(modules: ModulesContainer): void {
  const roots = [...modules.values()].filter((module) => module.providers.has(LOCK_REGISTRY));
  if (roots.length <= 1) return;
  throw new InvalidOptionError(
    'BedrockLockModule.forRoot()',
    'imported once in an application; elsewhere use forFeature()',
    roots.length,
  );
}

function telemetriesOf({ telemetry = false }: BedrockLockOptions): readonly Telemetry[] {
  if (typeof telemetry === 'boolean') return telemetry ? [openTelemetry()] : [];
  return Array.isArray(telemetry) ? (telemetry as readonly Telemetry[]) : [telemetry as Telemetry];
}

function createBedrock(backend: Backend, options: BedrockLockOptions): Bedrock {
  const {
    backend: _backend,
    backends: _backends,
    locks: _locks,
    idempotency: _idempotency,
    shutdownGraceMs,
    allowInProcessLocks = false,
    interceptor: _interceptor,
    startDegraded: _startDegraded,
    warnWithoutShutdownHooks: _warnWithoutShutdownHooks,
    telemetry: _telemetry,
    logger: _logger,
    ...shared
  } = options;
  const closeGraceMs = shutdownGraceMs === undefined ? {} : { closeGraceMs: shutdownGraceMs };
  const bedrock = new Bedrock({ ...shared, ...closeGraceMs, backend });
  if (backend.traits.inProcess && process.env['NODE_ENV'] === 'production' && !allowInProcessLocks) {
    throw new UnsupportedByBackendError(
      backend.name,
      'NODE_ENV=production',
      'its locks hold in this process only: take a backend such as redis(url), or set allowInProcessLocks: true',
    );
  }
  return bedrock;
}

/** Merges the options that a factory returns into the listed names. */
function withOptions<T extends { readonly name: string; readonly backend?: string }>(
  list: 'locks' | 'idempotency',
  listed: readonly T[],
  configured: readonly T[],
): readonly T[] {
  const merged = [...listed];
  for (const one of configured) {
    const index = merged.findIndex(
      ({ name, backend }) =>
        name === one.name && (backend === undefined || one.backend === undefined || backend === one.backend),
    );
    if (index < 0) {
      const requirement = `those that forRootAsync({ ${list} }) lists: only they can be injected`;
      throw new InvalidOptionError(list, requirement, one.name);
    }
    // The kind checks the merged options when the lock is created.
    merged[index] = { ...merged[index], ...one };
  }
  return merged;
}
