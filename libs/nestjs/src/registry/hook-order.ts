import type { ModulesContainer } from '@nestjs/core';
import { Leadership } from '../leadership/leadership.module.js';
import { LOCK_REGISTRY } from '../core/lock.constants.js';

/**
 * Nest runs start hooks by decreasing distance from the root module, and end hooks in the opposite order. All global
 * modules have the same distance, so their order would depend on the imports.
 * Our modules get distances beyond it. So locks work in every hook of every other module, and a leader leads only
 * between the last start hook and the first end hook.
 */
export function orderHooks(modules: ModulesContainer): void {
  for (const module of modules.values()) {
    if (module.providers.has(LOCK_REGISTRY)) module.distance = Infinity;
    if (module.providers.has(Leadership)) module.distance = -Infinity;
  }
}
