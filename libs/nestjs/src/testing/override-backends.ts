import type { TestingModuleBuilder } from '@nestjs/testing';
import type { Backend } from 'bedrock-lock';
import { getBackendToken, unknownOverride } from '../core/backend.tokens.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import { LOCK_REGISTRY } from '../core/lock.constants.js';

/**
 * Replaces an application's backends by name; its own are never created. Locks, prefix and features stay.
 * `overrideProvider(getBackendToken(name))` replaces a single one, but cannot distinguish the backends of two
 * applications.
 * @throws InvalidOptionError from `compile()`, for an unknown name
 */
export function overrideBackends(
  builder: TestingModuleBuilder,
  backends: Readonly<Record<string, Backend>>,
): TestingModuleBuilder {
  for (const [name, backend] of Object.entries(backends))
    builder.overrideProvider(getBackendToken(name)).useValue(backend);
  const compile = builder.compile.bind(builder);
  builder.compile = async (...args) => {
    const module = await compile(...args);
    const registry = module.get<LockRegistry | undefined>(LOCK_REGISTRY, { strict: false });
    const known = registry?.backends ?? [];
    const unknown = Object.keys(backends).find((name) => !known.includes(name));
    if (unknown === undefined) return module;
    await module.close();
    throw unknownOverride(unknown, known);
  };
  return builder;
}
