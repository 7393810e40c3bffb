import type { ModulesContainer } from '@nestjs/core';
import { LOCK_REGISTRY } from './lock.tokens.js';

/**
 * Nest runs the hooks of the start by falling distance from the root module, those of the end the other way round. All
 * global modules share one distance, which leaves their order to that of the imports. Ours goes beyond: locks work in
 * every hook of every other module.
 */
export function startFirstAndEndLast(modules: ModulesContainer): void {
  for (const module of modules.values()) {
    if (module.providers.has(LOCK_REGISTRY)) module.distance = Infinity;
  }
}
