import type { Arg, Send } from './connection.js';
import { codeOf } from './failures.js';
import type { Script } from './script.js';

/**
 * Runs a script by its hash, or by its text where the server has forgotten it (restart, SCRIPT FLUSH, fail-over).
 * `args` are those of EVALSHA: hash, number of keys, keys, arguments.
 */
export function runScript(send: Send, script: Script, args: Arg[]): Promise<unknown> {
  return send('evalsha', args).catch((error: Error) => {
    if (codeOf(error.cause) !== 'NOSCRIPT') throw error;
    return send('eval', [script.source, ...args.slice(1)]);
  });
}
