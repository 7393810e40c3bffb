import { LockTypeMismatchError } from '../../../core/errors.js';
import type { Connection } from '../connection.js';
import { runScript } from '../run-script.js';
import type { Script } from '../script.js';

/** Runs a script on one resource. @throws LockError of that resource */
export type AskScript = (
  script: Script,
  resource: string,
  keys: readonly string[],
  ...rest: readonly string[]
) => Promise<unknown>;

export function askerOf(connection: Connection): AskScript {
  return async (script, resource, keys, ...rest) => {
    try {
      return await runScript(connection, script, keys, rest);
    } catch (error) {
      throw aboutResource(error, resource);
    }
  };
}

/** An error of the connection, which knows no resource, as callers see it. */
export function aboutResource(error: unknown, resource: string): unknown {
  return error instanceof LockTypeMismatchError ? new LockTypeMismatchError(resource, error.detail) : error;
}
