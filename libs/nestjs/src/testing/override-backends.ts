import type { TestingModuleBuilder } from '@nestjs/testing';
import { InvalidOptionError, type Backend } from 'bedrock-lock';
import type { LockRegistry } from '../lock.registry.js';
import { getBackendToken, LOCK_REGISTRY } from '../lock.tokens.js';

/**
 * Puts an application on other backends, by their names; its own are never made. Locks, prefix and features stay.
 * `overrideProvider(getBackendToken(name))` does the same without a word about a name that the application does not have.
 * @throws InvalidOptionError from `compile()`, for such a name
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
    throw new InvalidOptionError('backends', `one of ${known.join(', ')}`, unknown);
  };
  return builder;
}
