import { LockTypeMismatchError } from '../../../core/errors.js';
import type { RedisCalls } from '../connection/redis-calls.js';
import { needsText, sendText } from './run-script.js';
import { scriptFor, type Script } from './script.js';
import { evalshaRequest, encodeText, encodeAscii } from './resp-encoding.js';

/** Runs a script on one resource; texts of its reply are strings. @throws LockError of that resource */
export type CallScript = (
  script: Script,
  resource: string,
  keys: readonly string[],
  ...rest: readonly string[]
) => Promise<unknown>;

/** Runs a script by its hash, or by its text if the server needs it. */
export function scriptCallerFor(calls: RedisCalls): CallScript {
  return (script, resource, keys, ...rest) =>
    new Promise((resolve, reject) => {
      const form = scriptFor(calls.link, script);
      const words = [encodeAscii(keys.length), ...keys.map(encodeText), ...rest.map(encodeText)];
      const input = { text: words.join(''), count: words.length };
      const replied = (reply: unknown): void => resolve(asStrings(reply));
      const failed = (error: Error): void => reject(withResource(error, resource));
      const sentAt = calls.clock.now();
      calls.run('evalsha', evalshaRequest(form, input), {
        replied,
        failed(error) {
          if (!needsText(error)) failed(error);
          else sendText(calls, { script: form, input, sentAt }, { replied, failed });
        },
      });
    });
}

/** Converts the texts of a decoded reply to strings. */
function asStrings(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) return reply.toString();
  return Array.isArray(reply) ? reply.map(asStrings) : reply;
}

/** Adds the resource to an error of the connection, which does not know it. */
export function withResource(error: Error, resource: string): Error {
  return error instanceof LockTypeMismatchError ? new LockTypeMismatchError(resource, error.detail) : error;
}
