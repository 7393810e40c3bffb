import 'reflect-metadata';
import type { ModulesContainer } from '@nestjs/core';
import { LockError } from 'bedrock-lock';

/** What `@Catch()` leaves on a filter; the constant is no part of Nest's public entry. */
const CATCHES = '__filterCatchExceptions__';

type Class = abstract new (...args: never[]) => unknown;

/**
 * Whether another global filter (`APP_FILTER`) catches lock errors, or is made by a factory, so that nobody knows before. One
 * that the module adds would come before it, and take the errors away from the application's own format.
 * @param own the factory that asks
 */
export function othersCatchLockErrors(modules: ModulesContainer, own: unknown): boolean {
  const providers = [...modules.values()].flatMap((module) => [...module.providers.values()]);
  return providers.some(({ subtype, metatype, instance }) => {
    if (subtype !== 'filter' || metatype === own) return false;
    const catches = caughtBy(metatype) ?? caughtBy((instance as object | null)?.constructor) ?? [];
    return (
      catches.length === 0 || catches.some((one) => one === LockError || LockError.prototype instanceof one)
    );
  });
}

function caughtBy(filter: unknown): readonly Class[] | undefined {
  if (typeof filter !== 'function') return undefined;
  return Reflect.getMetadata(CATCHES, filter) as readonly Class[] | undefined;
}
