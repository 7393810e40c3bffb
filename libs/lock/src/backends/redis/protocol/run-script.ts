import type { RedisCalls, Send } from '../connection/redis-calls.js';
import { codeOf } from '../connection/failures.js';
import type { Arg, ReplyHandler } from '../connection/link.js';
import { evalRequest, type ScriptInput } from './resp-encoding.js';
import { scriptFor, type Script } from './script.js';

/** The target of a script call: a connection, or one that is being opened. */
export interface ScriptRunner {
  readonly call: Send;
  readonly link: { readonly isSharded: boolean };
}

/** A request that ran a script by its hash. */
export interface SentScript {
  /** The form for this server. */
  readonly script: Script;
  readonly input: ScriptInput;
  /** Local ms. */
  readonly sentAt: number;
}

/**
 * True when the server has forgotten the script (restart, SCRIPT FLUSH, failover). It has executed
 * nothing, and needs the text.
 */
export function needsText(error: Error): boolean {
  return codeOf(error.cause) === 'NOSCRIPT';
}

/** Sends the text of a script. The call times out as the first request would. */
export function sendText(
  calls: RedisCalls,
  { script, input, sentAt }: SentScript,
  replyHandler: ReplyHandler,
): void {
  calls.runSince(sentAt, 'eval', evalRequest(script, input), replyHandler);
}

/** Runs a script by its hash, or by its text if the server needs it. */
export function runScript(
  { call, link }: ScriptRunner,
  script: Script,
  keys: readonly string[],
  args: readonly Arg[],
): Promise<unknown> {
  const { source, sha1 } = scriptFor(link, script);
  const input = [keys.length, ...keys, ...args];
  return call('evalsha', [sha1, ...input]).catch((error: Error) => {
    if (needsText(error)) return call('eval', [source, ...input]);
    throw error;
  });
}
