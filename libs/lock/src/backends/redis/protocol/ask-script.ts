import { LockTypeMismatchError } from '../../../core/errors.js';
import type { Connection } from '../connection/connection.js';
import { codeOf } from '../connection/failures.js';
import { formFor, type Script } from './script.js';
import { byHash, byText, name, word } from './wire.js';

/** Runs a script on one resource; texts of its reply are strings. @throws LockError of that resource */
export type AskScript = (
  script: Script,
  resource: string,
  keys: readonly string[],
  ...rest: readonly string[]
) => Promise<unknown>;

/** By the hash of the script, or by its text where the server has forgotten it (restart, SCRIPT FLUSH, fail-over). */
export function askerOf(connection: Connection): AskScript {
  return (script, resource, keys, ...rest) =>
    new Promise((resolve, reject) => {
      const form = formFor(connection.link, script);
      const words = [word(keys.length), ...keys.map(name), ...rest.map(name)];
      const input = { text: words.join(''), count: words.length };
      const replied = (reply: unknown): void => resolve(texts(reply));
      const failed = (error: Error): void => reject(aboutResource(error, resource));
      const sentAt = connection.now();
      connection.run('evalsha', byHash(form, input), {
        replied,
        failed(error) {
          if (codeOf(error.cause) !== 'NOSCRIPT') failed(error);
          else connection.runSince(sentAt, 'eval', byText(form, input), { replied, failed });
        },
      });
    });
}

/** A reply as the decoder gives it, with its texts as strings. */
function texts(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) return reply.toString();
  return Array.isArray(reply) ? reply.map(texts) : reply;
}

/** An error of the connection, which knows no resource, as callers see it. */
export function aboutResource(error: Error, resource: string): Error {
  return error instanceof LockTypeMismatchError ? new LockTypeMismatchError(resource, error.detail) : error;
}
