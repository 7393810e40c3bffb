import type { ModulesContainer } from '@nestjs/core';
import { Leadership } from '../leadership/leadership.module.js';
import { LOCK_REGISTRY } from '../core/lock.constants.js';

/**
 * Nest runs the hooks of the start by falling distance from the root module, those of the end the other way round. All
 * global modules share one distance, which leaves their order to that of the imports. Ours go beyond: locks work in every
 * hook of every other module, and whoever leads does so only between the last hook of the start and the first of the end.
 */
export function orderHooks(modules: ModulesContainer): void {
  for (const module of modules.values()) {
    if (module.providers.has(LOCK_REGISTRY)) module.distance = Infinity;
    if (module.providers.has(Leadership)) module.distance = -Infinity;
  }
}
