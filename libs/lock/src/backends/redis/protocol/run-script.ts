import type { Send } from '../connection/redis-connection.js';
import { codeOf } from '../connection/failures.js';
import type { Arg } from '../connection/link.js';
import { scriptFor, type Script } from './script.js';

/** Whom to ask, and how: a connection, or one that is just being opened. */
export interface ScriptRunner {
  readonly call: Send;
  readonly link: { readonly isSharded: boolean };
}

/** Runs a script by its hash, or by its text where the server has forgotten it (restart, SCRIPT FLUSH, fail-over). */
export function runScript(
  { call, link }: ScriptRunner,
  script: Script,
  keys: readonly string[],
  args: readonly Arg[],
): Promise<unknown> {
  const { source, sha1 } = scriptFor(link, script);
  const input = [keys.length, ...keys, ...args];
  return call('evalsha', [sha1, ...input]).catch((error: Error) => {
    if (codeOf(error.cause) !== 'NOSCRIPT') throw error;
    return call('eval', [source, ...input]);
  });
}
