import 'reflect-metadata';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { LockError } from 'bedrock-lock';

/** Metadata key of `@Catch()`; Nest does not export the constant. */
const CATCHES = '__filterCatchExceptions__';

type CaughtClass = abstract new (...args: never[]) => unknown;

/**
 * The module's global filter, for lock errors that no other global filter (`APP_FILTER`) catches. It runs before the
 * other filters, and would otherwise take errors away from the application's own format.
 * Null if another filter catches all lock errors, or if a factory creates one: its classes are unknown beforehand.
 * @param own the factory that asks
 */
export function filterForUncaught(
  filter: ExceptionFilter,
  modules: ModulesContainer,
  own: unknown,
): ExceptionFilter | null {
  const caught = caughtByOthers(modules, own);
  if (caught.some((one) => one === LockError || LockError.prototype instanceof one)) return null;
  const kinds = caught.filter((one) => (one.prototype as unknown) instanceof LockError);
  return kinds.length === 0 ? filter : exceptFor(kinds, filter);
}

function caughtByOthers(modules: ModulesContainer, own: unknown): readonly CaughtClass[] {
  const providers = [...modules.values()].flatMap((module) => [...module.providers.values()]);
  const others = providers.filter(({ subtype, metatype }) => subtype === 'filter' && metatype !== own);
  return others.flatMap(({ metatype, instance }) => {
    const catches = caughtBy(metatype) ?? caughtBy((instance as object | null)?.constructor) ?? [];
    return catches.length === 0 ? [Object] : catches;
  });
}

function caughtBy(filter: unknown): readonly CaughtClass[] | undefined {
  if (typeof filter !== 'function') return undefined;
  return Reflect.getMetadata(CATCHES, filter) as readonly CaughtClass[] | undefined;
}

/** Nest tests `instanceof` with the classes of `@Catch()`. */
function exceptFor(kinds: readonly CaughtClass[], filter: ExceptionFilter): ExceptionFilter {
  class OtherLockError extends Error {
    static override [Symbol.hasInstance](error: unknown): boolean {
      return error instanceof LockError && !kinds.some((one) => error instanceof one);
    }
  }

  @Catch(OtherLockError)
  class Rest implements ExceptionFilter {
    catch(error: unknown, host: ArgumentsHost): unknown {
      return filter.catch(error, host);
    }
  }
  return new Rest();
}
